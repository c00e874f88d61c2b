//! The picture in the README is what the program prints.

mod common;

use common::Sandbox;

const PICTURE: &str = "docs/explain.svg";
const COMMAND: &str = r#"sudo bash -c "$(echo cm0gLXJmIC8= | base64 -d)""#;

#[test]
fn the_picture_shows_an_explanation() {
    let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(PICTURE);
    let picture = std::fs::read_to_string(file).unwrap();
    let texts = picture.split("<text ").skip(1).filter_map(|rest| rest.split_once('>')?.1.split("</text>").next());
    let shown: Vec<String> = texts.map(text_of).collect();
    let ran = Sandbox::new().run(&["explain", "--defaults", COMMAND]);
    let typed = format!("$ tollgate explain '{COMMAND}'");
    let expected: Vec<&str> = [typed.as_str()].into_iter().chain(ran.out.lines()).collect();
    assert_eq!(shown, expected, "`{PICTURE}` is not of this command");
}

/// What stands between the tags.
fn text_of(element: &str) -> String {
    let text: String = element.split('<').map(|part| part.split_once('>').map_or(part, |(_, text)| text)).collect();
    text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
}
