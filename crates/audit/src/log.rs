//! Appending: the one place where the chain grows.

use std::collections::HashMap;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::Thread;
use std::time::Duration;

use serde_json::{Value, json};
use tollgate_core::{Clock, Digest};

use crate::draft::{CallKey, Draft, Place, hash};
use crate::lock::{Lock, Locked};
use crate::tail::Tail;
use crate::{AuditError, Head, Keys, Reader, files, keys, retain, stamp};

/// There is a checkpoint at least this often.
pub(crate) const CHECKPOINT: u64 = 256;
/// How many calls that have begun are remembered, so that their ends can name them. Over it the older half is let go.
const MOST_OPEN: usize = 10_000;

/// About how long a line is.
const USUAL: usize = 1200;

/// How often a thread lets others go first before it falls asleep.
const YIELDS: u32 = 8;

/// How a log is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Whether records survive a power failure, not only the end of their process.
    pub sync: bool,
    /// How long a segment may become, in bytes, before a new one begins.
    pub segment: u64,
    /// How long records are kept; for ever if none.
    pub retain: Option<Duration>,
    /// How long to wait for another process that is writing.
    pub patience: Duration,
}

impl Default for Settings {
    fn default() -> Self {
        Self { sync: false, segment: 16_000_000, retain: None, patience: Duration::from_secs(5) }
    }
}

/// A log that can be added to, by any number of threads and processes.
///
/// ```
/// use std::sync::Arc;
/// use tollgate_audit::{Draft, Log, Settings};
/// # use tollgate_testkit::ManualClock as SystemClock;
///
/// # let dir = std::env::temp_dir().join(format!("tollgate-doc-log-{}", std::process::id()));
/// let log = Log::open(&dir.join("audit"), &dir.join("keys"), Settings::default(), Arc::new(SystemClock::default()))?;
/// // The first record of every log is a checkpoint.
/// assert_eq!(log.append(Draft::new("event"))?, 2);
/// assert_eq!(log.append(Draft::new("event"))?, 3);
/// # std::fs::remove_dir_all(dir).ok();
/// # Ok::<(), tollgate_audit::AuditError>(())
/// ```
pub struct Log {
    dir: PathBuf,
    settings: Settings,
    keys: Keys,
    clock: Arc<dyn Clock>,
    queue: Mutex<Queue>,
    writer: Mutex<Writer>,
    /// Whether a segment was begun, so that older ones may have become too old.
    rotated: AtomicBool,
}

/// Records that wait for whoever writes next.
#[derive(Default)]
struct Queue {
    waiting: Vec<(Draft, Arc<Slot>)>,
    /// Whether somebody writes now.
    writing: bool,
    /// Whether there were several when somebody wrote last.
    crowded: bool,
}

/// Where the number of a record, or why it has none, is left for the thread that waits for it.
struct Slot {
    thread: Thread,
    written: Mutex<Option<Result<u64, AuditError>>>,
}

/// What only one thread at a time may touch.
struct Writer {
    lock: Lock,
    tail: Option<Tail>,
    /// Calls that have begun, and with which record.
    open: HashMap<Arc<CallKey>, u64>,
}

/// Lines that are about to be written.
struct Batch {
    lines: String,
    fields: String,
    seqs: Vec<u64>,
    next: u64,
    prev: Digest,
    time: String,
    log: [u8; 16],
    /// Calls that begin in it, where others end in it.
    began: HashMap<Arc<CallKey>, u64>,
}

impl Log {
    /// Opens a log in one folder whose keys are in another. Both are made if they are not there.
    pub fn open(dir: &Path, key_dir: &Path, settings: Settings, clock: Arc<dyn Clock>) -> Result<Self, AuditError> {
        files::make_folder(dir)?;
        files::check_folder(dir)?;
        let mut lock = Lock::open(dir)?;
        let keys = match Keys::read(key_dir)? {
            Some(keys) => keys,
            None => {
                let _locked = lock.hold(settings.patience)?;
                first_keys(dir, key_dir)?
            }
        };
        let writer = Mutex::new(Writer { lock, tail: None, open: HashMap::new() });
        let (queue, rotated) = (Mutex::default(), AtomicBool::new(false));
        Ok(Self { dir: dir.to_owned(), settings, keys, clock, queue, writer, rotated })
    }

    /// The keys it is written with.
    pub fn keys(&self) -> &Keys {
        &self.keys
    }

    /// Where it lies.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// Appends a record and gives back its number. When this returns, the record is safe.
    ///
    /// Threads that come while another one writes are written together: whoever gets to write next takes along all
    /// that wait.
    pub fn append(&self, draft: Draft) -> Result<u64, AuditError> {
        match self.alone() {
            Some(mut turn) => {
                turn.drafts.push(draft);
                let written = turn.commit().map(|seqs| seqs.first().copied().unwrap_or_default());
                drop(turn);
                self.let_go();
                written
            }
            None => self.append_with_others(draft),
        }
    }

    /// The right to write alone, if nobody writes or waits.
    fn alone(&self) -> Option<Turn<'_>> {
        let mut queue = lock(&self.queue);
        if queue.writing || queue.crowded || !queue.waiting.is_empty() {
            return None;
        }
        queue.writing = true;
        Some(Turn { log: self, drafts: Vec::with_capacity(1), slots: Vec::new() })
    }

    fn append_with_others(&self, draft: Draft) -> Result<u64, AuditError> {
        let slot = Arc::new(Slot { thread: std::thread::current(), written: Mutex::default() });
        lock(&self.queue).waiting.push((draft, Arc::clone(&slot)));
        let mut tried = 0;
        loop {
            if let Some(written) = lock(&slot.written).take() {
                self.let_go();
                return written;
            }
            match self.turn() {
                Some(turn) => turn.write(),
                // Somebody writes just now, and that takes less time than to fall asleep and be woken.
                None if tried < YIELDS => {
                    tried += 1;
                    std::thread::yield_now();
                }
                // Whoever writes now wakes everybody it wrote for, and one of the others.
                None => std::thread::park(),
            }
        }
    }

    /// The right to write for all who wait, unless somebody has it.
    fn turn(&self) -> Option<Turn<'_>> {
        let mut queue = lock(&self.queue);
        if queue.writing {
            return None;
        }
        queue.writing = true;
        if queue.crowded {
            // The others are about to come back: to sign once for all of them saves more than it takes.
            drop(queue);
            std::thread::yield_now();
            queue = lock(&self.queue);
        }
        queue.crowded = queue.waiting.len() > 1;
        let (drafts, slots) = std::mem::take(&mut queue.waiting).into_iter().unzip();
        Some(Turn { log: self, drafts, slots })
    }

    /// Removes what has become too old, whenever a segment was begun. No call is refused because that failed: it is
    /// tried again with the next segment.
    fn let_go(&self) {
        let due = self.settings.retain.filter(|_| self.rotated.swap(false, Ordering::Relaxed));
        if let Some(since) = due.and_then(|age| self.clock.wall().checked_sub(age)) {
            let _ = retain(self, &stamp(since));
        }
    }

    /// Appends several records at once.
    pub fn append_all(&self, drafts: &[Draft]) -> Result<Vec<u64>, AuditError> {
        let written = self.commit(&mut lock(&self.writer), drafts);
        self.let_go();
        written
    }

    /// The newest signed head; none if nothing was ever recorded.
    pub fn head(&self) -> Result<Option<Head>, AuditError> {
        let mut writer = lock(&self.writer);
        let Writer { lock, tail, .. } = &mut *writer;
        let locked = lock.hold(self.settings.patience)?;
        self.refresh(tail, &locked)?;
        Ok(tail.as_ref().and_then(|tail| tail.head.clone()))
    }

    fn commit(&self, writer: &mut Writer, drafts: &[Draft]) -> Result<Vec<u64>, AuditError> {
        let Writer { lock, tail, open } = writer;
        let locked = lock.hold(self.settings.patience)?;
        let written = self.refresh(tail, &locked).and_then(|()| self.write(tail, open, drafts));
        if written.is_err() {
            // What is known of the end may no longer be true.
            *tail = None;
        }
        written
    }

    /// Finds the end of the log, unless it is known.
    fn refresh(&self, tail: &mut Option<Tail>, locked: &Locked<'_>) -> Result<(), AuditError> {
        if !tail.as_mut().is_some_and(|tail| tail.still_holds(locked.names())) {
            *tail = Tail::find(&self.dir)?;
            if let Some(Tail { head, first, .. }) = tail.as_mut() {
                let other_log = |head: &Head| first.as_ref().is_some_and(|first| first.signed.log != head.log);
                // A head that we did not sign for this log must not make us sign what it speaks of.
                head.take_if(|head| head.key == self.keys.public() && (!head.is_by(&self.keys) || other_log(head)));
            }
        }
        Ok(())
    }

    fn write(
        &self,
        slot: &mut Option<Tail>,
        open: &mut HashMap<Arc<CallKey>, u64>,
        drafts: &[Draft],
    ) -> Result<Vec<u64>, AuditError> {
        self.refuse_other_key(slot.as_ref())?;
        let recovered = slot.as_ref().and_then(|tail| self.recovered(tail)).map(|what| ("recovered", what));
        // Somebody else may have chosen the time of what nobody signed.
        let time = self.now(slot.as_ref().filter(|_| recovered.is_none()));
        let mut batch = Batch::after(slot.as_ref(), time, drafts.len())?;
        let links = drafts.iter().any(|draft| draft.closes.is_some());
        let why = recovered.or((batch.next == 1).then_some(("start", Value::Null)));
        let full = slot.as_ref().is_some_and(|tail| tail.log.length >= self.settings.segment);
        let fresh = slot.is_none() || full;
        if fresh {
            *slot = Some(Tail::create(&self.dir, batch.next)?);
        }
        let Some(tail) = slot.as_mut() else { return Err(AuditError::new("the log has no end")) };
        if let Some((why, what)) = why.or(full.then_some(("segment", Value::Null))) {
            batch.checkpoint(&self.keys, why, &what);
        }
        for draft in drafts {
            if batch.next % CHECKPOINT == 1 {
                batch.checkpoint(&self.keys, "count", &Value::Null);
            }
            let known = |key: &CallKey| batch.began.get(key).or(open.get(key)).copied().or_else(|| tail.intent(key));
            let intent = draft.closes.as_deref().and_then(known);
            let seq = batch.add(draft, intent);
            batch.seqs.push(seq);
            if let Some(key) = draft.opens.as_ref().filter(|_| links) {
                batch.began.insert(key.clone(), seq);
            }
        }
        self.store(tail, &batch, fresh)?;
        note_calls(open, &batch.seqs, drafts);
        Ok(batch.seqs)
    }

    /// Writes everything, or leaves everything as it was.
    fn store(&self, tail: &mut Tail, batch: &Batch, fresh: bool) -> Result<(), AuditError> {
        let head = Head::sign(&self.keys, batch.log, batch.next - 1, batch.prev, &batch.time);
        let (log, fields, before) = (tail.log.length, tail.fields.length, tail.head.take());
        let lines = || (batch.fields.as_bytes(), batch.lines.as_bytes());
        let written = tail.fields.append(lines().0).and_then(|()| tail.log.append(lines().1)).and_then(|()| {
            if self.settings.sync {
                self.sync(tail, fresh)?;
            }
            let path = self.dir.join("head");
            tail.write_head(head).map_err(|error| AuditError::io("write", &path, &error))?;
            if self.settings.sync {
                tail.head_file.sync_data().map_err(|error| AuditError::io("sync", &path, &error))?;
            }
            Ok(())
        });
        if let Err(error) = written {
            // The log first: fields without a record are harmless.
            let _ = tail.log.cut(log).and_then(|()| tail.fields.cut(fields));
            tail.put_head_back(before);
            if fresh || tail.seq == 0 {
                let _ = std::fs::remove_file(&tail.log.path).and_then(|()| std::fs::remove_file(&tail.fields.path));
            }
            return Err(error);
        }
        self.rotated.fetch_or(fresh, Ordering::Relaxed);
        (tail.seq, tail.hash, tail.cut) = (batch.next - 1, batch.prev, 0);
        tail.time.clone_from(&batch.time);
        tail.recent.take();
        Ok(())
    }

    fn sync(&self, tail: &Tail, fresh: bool) -> Result<(), AuditError> {
        for grows in [&tail.fields, &tail.log] {
            grows.file.sync_data().map_err(|error| AuditError::io("sync", &grows.path, &error))?;
        }
        if fresh {
            let synced = File::open(&self.dir).and_then(|dir| dir.sync_all());
            synced.map_err(|error| AuditError::io("sync", &self.dir, &error))?;
        }
        Ok(())
    }

    /// The present, which is never before the last record, whatever became of the clock.
    fn now(&self, tail: Option<&Tail>) -> String {
        let now = stamp(self.clock.wall());
        match tail {
            Some(tail) if tail.time > now => tail.time.clone(),
            _ => now,
        }
    }

    /// What has to be said about the end that was found, if it is not the one that was signed last.
    fn recovered(&self, tail: &Tail) -> Option<Value> {
        let mut what = json!({});
        match &tail.head {
            None if tail.seq == 0 => {}
            None => {
                what["unsigned_from"] = 1.into();
                what["unsigned_to"] = tail.seq.into();
                if !is_first_batch(tail) {
                    // Nobody knows how many there were.
                    what["lost_from"] = (tail.seq + 1).into();
                }
            }
            Some(head) if head.count < tail.seq && self.follows(head) => {
                what["unsigned_from"] = (head.count + 1).into();
                what["unsigned_to"] = tail.seq.into();
            }
            Some(head) if head.count == tail.seq && head.head == tail.hash => {}
            // Said once and for all: what was signed and is gone cannot be passed over in silence.
            Some(head) => {
                what["lost_from"] = (tail.seq + 1).min(head.count).into();
                what["lost_to"] = head.count.into();
                what["head"] = head.head.to_string().into();
            }
        }
        if tail.cut > 0 {
            what["cut"] = tail.cut.into();
        }
        what.as_object().is_some_and(|what| !what.is_empty()).then_some(what)
    }

    /// Whether the record that a head speaks of is still the one that was signed, by what the record after it says.
    fn follows(&self, head: &Head) -> bool {
        let after = Reader::new(&self.dir).entry(head.count + 1);
        after.is_ok_and(|after| after.is_some_and(|after| after.record.prev == head.head.to_string()))
    }

    /// A log is signed with one key from beginning to end.
    fn refuse_other_key(&self, tail: Option<&Tail>) -> Result<(), AuditError> {
        let Some(tail) = tail else { return Ok(()) };
        if tail.signed().all(|head| head.key == self.keys.public()) {
            return Ok(());
        }
        let dir = self.dir.display();
        Err(AuditError::new(format!(
            "the log in `{dir}` was signed with another key; put that key back, or begin a new log: `tollgate log new`"
        )))
    }
}

/// All that waited when somebody began to write.
struct Turn<'a> {
    log: &'a Log,
    drafts: Vec<Draft>,
    slots: Vec<Arc<Slot>>,
}

impl Turn<'_> {
    fn commit(&self) -> Result<Vec<u64>, AuditError> {
        self.log.commit(&mut lock(&self.log.writer), &self.drafts)
    }

    fn write(self) {
        // Somebody else was faster and wrote for us, too.
        if self.drafts.is_empty() {
            return;
        }
        let written = self.commit();
        for (index, slot) in self.slots.iter().enumerate() {
            *lock(&slot.written) = Some(written.as_ref().map(|seqs| seqs[index]).map_err(Clone::clone));
        }
    }
}

/// However it ended, by a panic too: nobody waits in vain. The next one begins to write while the others wake up.
impl Drop for Turn<'_> {
    fn drop(&mut self) {
        let mut queue = lock(&self.log.queue);
        queue.writing = false;
        if let Some((_, slot)) = queue.waiting.first() {
            slot.thread.unpark();
        }
        drop(queue);
        for slot in &self.slots {
            let lost = || Err(AuditError::new("the record was lost on its way to the log"));
            lock(&slot.written).get_or_insert_with(lost);
            slot.thread.unpark();
        }
    }
}

impl Batch {
    /// Nothing yet, after the end of a log.
    fn after(tail: Option<&Tail>, time: String, count: usize) -> Result<Self, AuditError> {
        let known = tail.and_then(|tail| tail.signed().next());
        let log = known.map_or_else(keys::draw, |head| Ok(head.log))?;
        let (seq, prev) = tail.map_or((0, Digest([0; 32])), |tail| (tail.seq, tail.hash));
        let [lines, fields] = [(); 2].map(|()| String::with_capacity(count * USUAL));
        let (seqs, began) = (Vec::with_capacity(count), HashMap::new());
        Ok(Self { lines, fields, seqs, next: seq + 1, prev, time, log, began })
    }

    fn add(&mut self, draft: &Draft, intent: Option<u64>) -> u64 {
        let seq = self.next;
        let start = self.lines.len();
        draft.line(&Place { seq, prev: self.prev, time: &self.time, intent }, &mut self.lines);
        self.prev = hash(&self.lines.as_bytes()[start..]);
        self.lines.push('\n');
        if draft.beside(seq, &mut self.fields) {
            self.fields.push('\n');
        }
        self.next += 1;
        seq
    }

    fn checkpoint(&mut self, keys: &Keys, why: &str, what: &Value) {
        let mut draft = Draft::new("checkpoint");
        draft.member("why", &Value::from(why));
        if !what.is_null() {
            draft.member("recovered", what);
        }
        let place = Place { seq: self.next, prev: self.prev, time: &self.time, intent: None };
        let mut line = String::new();
        let head = Head::checkpoint(keys, self.log, self.next - 1, self.prev, &self.time, |statement| {
            draft.member("signed", statement);
            draft.line(&place, &mut line);
            line.into_bytes()
        });
        draft.member("signed", &head.to_json());
        self.add(&draft, None);
    }
}

/// Remembers calls that have begun and forgets those that ended. Where there are too many, the ends of the older half
/// are looked up among the newest records, and name no beginning if it is not there.
fn note_calls(open: &mut HashMap<Arc<CallKey>, u64>, seqs: &[u64], drafts: &[Draft]) {
    for (draft, seq) in drafts.iter().zip(seqs) {
        open.extend(draft.opens.clone().map(|key| (key, *seq)));
        draft.closes.as_ref().map(|key| open.remove(key));
    }
    if open.len() > MOST_OPEN {
        let mut seqs: Vec<u64> = open.values().copied().collect();
        let middle = *seqs.select_nth_unstable(MOST_OPEN / 2).1;
        open.retain(|_, seq| *seq > middle);
    }
}

/// Whether the log may never have had a head: whoever wrote its first records died before the head was written.
fn is_first_batch(tail: &Tail) -> bool {
    tail.first.as_ref().is_some_and(|first| first.seq == 1 && first.time == tail.time)
}

/// The first key of a log. A log that lost its key must not get another one unnoticed.
fn first_keys(dir: &Path, key_dir: &Path) -> Result<Keys, AuditError> {
    // Somebody else may have made it meanwhile.
    if let Some(keys) = Keys::read(key_dir)? {
        return Ok(keys);
    }
    if crate::Segment::all(dir)?.is_empty() {
        return Keys::make(key_dir);
    }
    let (dir, key_dir) = (dir.display(), key_dir.display());
    Err(AuditError::new(format!(
        "the key of the log in `{dir}` is gone from `{key_dir}`; put it back, or begin a new log: `tollgate log new`"
    )))
}

/// A mutex whose holder panicked holds nothing that could be half done: the log itself says where it ends.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
