//! The same checks as layers of a `tower` stack, which is what one would write without Tollgate.
//!
//! A stack only passes the call on: no verdict but yes or no, no trace, no time limits, and a panic takes the caller
//! down.

use std::future::{Ready, ready};
use std::task::{Context, Poll};

use tollgate_core::{Body, Event};
use tower::filter::{FilterLayer, Predicate};
use tower::util::BoxCloneService;
use tower::{BoxError, Layer, Service, ServiceBuilder};

use crate::call::is_harmless;

/// What is passed on: facts and body. By reference, so that a layer copies two words.
pub type Call = (&'static Event<'static>, &'static Body);

/// The tool at the end of the stack.
#[derive(Clone, Copy)]
pub struct Tool;

impl Service<Call> for Tool {
    type Response = ();
    type Error = BoxError;
    type Future = Ready<Result<(), BoxError>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, _: Call) -> Self::Future {
        ready(Ok(()))
    }
}

/// The check, for tower's own filter layer.
#[derive(Clone, Copy)]
pub struct Check;

impl Predicate<Call> for Check {
    type Request = Call;

    fn check(&mut self, call: Call) -> Result<Call, BoxError> {
        match is_harmless(call.1) {
            Ok(true) => Ok(call),
            Ok(false) => Err("use `trash` instead".into()),
            Err(_) => Err("the body cannot be read".into()),
        }
    }
}

/// Ten checks, known to the compiler as one type.
pub fn known() -> impl Service<Call, Response = (), Error = BoxError> {
    let check = || FilterLayer::new(Check);
    let three = ServiceBuilder::new().layer(check()).layer(check()).layer(check());
    let six = three.layer(check()).layer(check()).layer(check());
    six.layer(check()).layer(check()).layer(check()).layer(check()).service(Tool)
}

/// A stack put together at run time.
pub type Dynamic = BoxCloneService<Call, (), BoxError>;

/// Ten checks put together at run time, as plugins would have to be.
pub fn dynamic() -> Dynamic {
    let check = FilterLayer::new(Check);
    (0..10).fold(BoxCloneService::new(Tool), |inner, _| BoxCloneService::new(check.layer(inner)))
}
