use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

thread_local! {
    /// Per thread, because the test harness allocates on its own threads whenever it likes.
    static ALLOCATIONS: Cell<usize> = const { Cell::new(0) };
}

/// The system's allocator, which also counts. A test binary declares one:
///
/// ```
/// #[global_allocator]
/// static ALLOC: tollgate_testkit::CountingAlloc = tollgate_testkit::CountingAlloc;
///
/// let (allocations, boxed) = tollgate_testkit::count(|| Box::new(1));
/// assert_eq!((allocations, *boxed), (1, 1));
/// ```
pub struct CountingAlloc;

#[expect(unsafe_code, reason = "an allocator cannot be written without; every call goes on to the system's unchanged")]
// SAFETY: all four hand their arguments to `System` as they came and return what it returns. The counter is a
// constant-initialized thread-local of a plain number, so touching it neither allocates nor panics.
unsafe impl GlobalAlloc for CountingAlloc {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        tick();
        // SAFETY: the caller's promise about the layout is passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        tick();
        // SAFETY: as above.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, place: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        tick();
        // SAFETY: the caller's promise that the place came from this allocator, so from `System`, is passed on.
        unsafe { System.realloc(place, layout, size) }
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(place, layout) }
    }
}

fn tick() {
    // A thread that is just ending has no counter any more, and nobody counts there.
    let _ = ALLOCATIONS.try_with(|count| count.set(count.get() + 1));
}

/// How often this thread allocates while `run` runs, and what that gives. Always 0 where [`CountingAlloc`] is
/// not the global allocator.
pub fn count<T>(run: impl FnOnce() -> T) -> (usize, T) {
    let before = ALLOCATIONS.get();
    let result = run();
    (ALLOCATIONS.get() - before, result)
}
