//! Vendors whose keys have no prefix: what they are called and what their keys look like.

/// The characters a key is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Alphabet {
    /// `0`–`9`
    Digits,
    /// `0`–`9`, `a`–`f`, either case
    Hex,
    /// Letters and digits
    Alnum,
    /// Letters, digits, `_`, `-` and `=`
    Url,
    /// Letters, digits and what base64 adds
    Base64,
    /// Hexadecimal digits in groups of 8, 4, 4, 4 and 12
    Uuid,
    /// Letters, digits and `_-.:/+=|%`
    Any,
}

/// What a key of a vendor looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Its characters.
    pub alphabet: Alphabet,
    /// Its shortest form.
    pub least: usize,
    /// Its longest form.
    pub most: usize,
}

impl Shape {
    /// Whether the value has this shape.
    ///
    /// ```
    /// use tollgate_secrets::rules::{Alphabet, Shape};
    ///
    /// let shape = Shape { alphabet: Alphabet::Hex, least: 4, most: 6 };
    /// assert!(shape.fits(b"c0ffee"));
    /// assert!(!shape.fits(b"coffee"));
    /// ```
    pub fn fits(&self, value: &[u8]) -> bool {
        let member = |byte: &u8| match self.alphabet {
            Alphabet::Digits => byte.is_ascii_digit(),
            Alphabet::Hex => byte.is_ascii_hexdigit(),
            Alphabet::Alnum => byte.is_ascii_alphanumeric(),
            Alphabet::Url => byte.is_ascii_alphanumeric() || b"_-=".contains(byte),
            Alphabet::Base64 => byte.is_ascii_alphanumeric() || b"+/=".contains(byte),
            Alphabet::Uuid => byte.is_ascii_alphanumeric() || *byte == b'-',
            Alphabet::Any => byte.is_ascii_alphanumeric() || b"_-.:/+=|%".contains(byte),
        };
        (self.least..=self.most).contains(&value.len()) && value.iter().all(member) && self.groups_fit(value)
    }

    fn groups_fit(&self, value: &[u8]) -> bool {
        let groups = || value.split(|&byte| byte == b'-').map(<[u8]>::len);
        self.alphabet != Alphabet::Uuid || groups().eq([8, 4, 4, 4, 12])
    }
}

/// A vendor with keys that only the name before them gives away.
#[derive(Clone, Copy, Debug)]
pub struct Vendor {
    /// How names of variables call it, in lower case.
    pub word: &'static str,
    /// What its keys look like.
    pub shapes: &'static [Shape],
}

const fn shape(alphabet: Alphabet, least: usize, most: usize) -> Shape {
    Shape { alphabet, least, most }
}

const UUID: Shape = shape(Alphabet::Uuid, 36, 36);

const fn hex(length: usize) -> Shape {
    shape(Alphabet::Hex, length, length)
}

const fn alnum(length: usize) -> Shape {
    shape(Alphabet::Alnum, length, length)
}

const fn url(length: usize) -> Shape {
    shape(Alphabet::Url, length, length)
}

const fn vendor(word: &'static str, shapes: &'static [Shape]) -> Vendor {
    Vendor { word, shapes }
}

/// All of them.
#[rustfmt::skip]
pub const VENDORS: &[Vendor] = &[
    vendor("adafruit", &[url(32)]),
    vendor("adobe", &[hex(32)]),
    vendor("airtable", &[alnum(17)]),
    vendor("algolia", &[hex(32)]),
    vendor("alibaba", &[alnum(30)]),
    vendor("asana", &[shape(Alphabet::Digits, 16, 16), alnum(32)]),
    vendor("atlassian", &[alnum(24)]),
    vendor("auth0", &[url(64), alnum(32)]),
    vendor("bitbucket", &[alnum(32), url(64), url(44)]),
    vendor("bittrex", &[alnum(32)]),
    vendor("blazemeter", &[UUID]),
    vendor("bugsnag", &[hex(32), UUID]),
    vendor("chartmogul", &[alnum(32)]),
    vendor("clickhouse", &[alnum(42)]),
    vendor("cloudant", &[alnum(64), alnum(24)]),
    vendor("cloudflare", &[url(40), hex(37)]),
    vendor("cloudsmith", &[hex(40)]),
    vendor("codecov", &[alnum(32), UUID]),
    vendor("cohere", &[alnum(40)]),
    vendor("coinbase", &[url(64), alnum(32), alnum(16)]),
    vendor("confluence", &[alnum(24)]),
    vendor("confluent", &[alnum(16), alnum(64), shape(Alphabet::Base64, 64, 64)]),
    vendor("contentful", &[url(43)]),
    vendor("datadog", &[alnum(40), hex(32)]),
    vendor("dareboost", &[shape(Alphabet::Alnum, 60, 66)]),
    vendor("discord", &[hex(64), url(32), shape(Alphabet::Digits, 17, 19)]),
    vendor("droneci", &[alnum(32)]),
    vendor("dropbox", &[alnum(15), shape(Alphabet::Any, 60, 160)]),
    vendor("enigma", &[alnum(40)]),
    vendor("etsy", &[alnum(24)]),
    vendor("facebook", &[hex(32)]),
    vendor("fastforex", &[alnum(28)]),
    vendor("fastly", &[url(32)]),
    vendor("finicity", &[hex(32), alnum(20)]),
    vendor("finnhub", &[alnum(20)]),
    vendor("flickr", &[alnum(32), alnum(16)]),
    vendor("freshbooks", &[alnum(64)]),
    vendor("gitter", &[url(40)]),
    vendor("heroku", &[UUID]),
    vendor("hubspot", &[UUID]),
    vendor("intercom", &[url(60)]),
    vendor("jfrog", &[alnum(73), alnum(64)]),
    vendor("artifactory", &[alnum(73), alnum(64)]),
    vendor("jira", &[alnum(24)]),
    vendor("kafka", &[alnum(16), alnum(64)]),
    vendor("kraken", &[shape(Alphabet::Any, 56, 100)]),
    vendor("kucoin", &[hex(24), UUID]),
    vendor("launchdarkly", &[url(40), UUID]),
    vendor("linear", &[hex(32)]),
    vendor("linkedin", &[alnum(14), alnum(16)]),
    vendor("looker", &[alnum(20), alnum(24)]),
    vendor("mailchimp", &[hex(32)]),
    vendor("mailgun", &[hex(32)]),
    vendor("mailjet", &[alnum(32)]),
    vendor("nicereply", &[hex(40)]),
    vendor("openweather", &[alnum(32)]),
    vendor("parseur", &[hex(40)]),
    vendor("pepipost", &[alnum(32)]),
    vendor("runscope", &[UUID]),
    vendor("refiner", &[UUID]),
    vendor("mapbox", &[shape(Alphabet::Any, 60, 120)]),
    vendor("mattermost", &[alnum(26)]),
    vendor("maxmind", &[alnum(16), url(40)]),
    vendor("meraki", &[hex(40)]),
    vendor("messagebird", &[alnum(25), UUID]),
    vendor("netlify", &[url(43), url(44), url(45), url(46)]),
    vendor("new-relic", &[alnum(64), hex(40)]),
    vendor("new_relic", &[alnum(64), hex(40)]),
    vendor("newrelic", &[alnum(64), hex(40)]),
    vendor("nytimes", &[url(32)]),
    vendor("okta", &[url(42)]),
    vendor("pagerduty", &[alnum(20), shape(Alphabet::Any, 20, 20)]),
    vendor("paypal", &[url(80)]),
    vendor("pingdom", &[alnum(64), url(86)]),
    vendor("plaid", &[alnum(24), alnum(30)]),
    vendor("postmark", &[UUID]),
    vendor("privateai", &[alnum(32)]),
    vendor("rapidapi", &[url(50)]),
    vendor("sendbird", &[UUID, hex(40)]),
    vendor("sentry", &[hex(64), hex(32)]),
    vendor("smartsheets", &[alnum(37), alnum(26)]),
    vendor("snyk", &[UUID]),
    vendor("softlayer", &[alnum(64)]),
    vendor("sonar", &[url(40)]),
    vendor("sourcegraph", &[hex(40)]),
    vendor("spotify", &[alnum(32)]),
    vendor("squarespace", &[UUID]),
    vendor("sumo", &[alnum(14), alnum(64)]),
    vendor("surveybot", &[alnum(80)]),
    vendor("telegram", &[hex(32), shape(Alphabet::Any, 41, 52)]),
    vendor("theoddsapi", &[hex(32)]),
    vendor("travis", &[url(22), alnum(22)]),
    vendor("twilio", &[hex(32), alnum(34)]),
    vendor("twitch", &[alnum(30)]),
    vendor("twitter", &[alnum(25), alnum(45), alnum(50), alnum(22), alnum(20), alnum(42), shape(Alphabet::Any, 36, 140)]),
    vendor("wandb", &[hex(40)]),
    vendor("yandex", &[url(40), url(41), shape(Alphabet::Any, 40, 120)]),
    vendor("zendesk", &[alnum(40)]),
];
