//! What the functions of languages and libraries do, as tables.
//!
//! Names are full names with dots, whatever the language writes between the parts. Most functions that change files
//! are told by the command that does the same, so that what is known about commands holds for them too: `%0` is the
//! first argument, `%o1` the second as an octal number, `%*` all of them.

use super::pure::Codec;
use crate::doing::Language;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Act {
    /// One argument is a script for a shell, several are a program and its arguments.
    Shell,
    /// A program and its arguments; a script with the option `shell`.
    Program,
    /// As [`Act::Program`], with the program's own name repeated among the arguments.
    Exec,
    /// Does what this command does.
    Like(&'static str),
    /// Opens a file: path and mode.
    Open,
    /// Perl's: handle, mode, path or command.
    PerlOpen,
    Read,
    /// Replaces what a file holds: path and content.
    Put,
    Append,
    /// Talks to a host over HTTP and the like; what comes back is from the network.
    Fetch,
    /// Saves what a host sends: URL and path.
    Download,
    /// Opens a connection that can carry anything.
    Connect,
    Listen,
    /// Runs text as code of the same language.
    Eval,
    /// Runs a file as code of the same language.
    EvalFile,
    /// Makes an object of data that may hold code.
    Unpickle,
    Fork,
    Wait,
    /// Bends a descriptor to another.
    Redirect,
    Decode(Codec),
    Characters,
    /// Parts of a path, joined.
    Path,
    Home,
    Here,
    Environment,
    /// Paths that match a pattern.
    Glob,
    /// What is in a folder.
    Inside,
    Import,
    /// A member by its name.
    Member,
    /// Calls its first argument with the others.
    Apply,
    /// Calls its first argument with each element of the second.
    Map,
    /// Its first argument, more or less.
    Same,
    /// The first argument, expanded: `~` is home.
    Expand,
    Reverse,
    Format,
    Print,
    /// Takes the last argument's items between.
    Implode,
    Words,
}

type Row = (&'static [&'static str], Act);

const RM: Act = Act::Like("rm -f -- %*");
const RM_ONE: Act = Act::Like("rm -f -- %0");
const RMDIR: Act = Act::Like("rmdir -- %*");
const RM_TREE: Act = Act::Like("rm -rf -- %0");
const RM_TREES: Act = Act::Like("rm -rf -- %*");
const MV: Act = Act::Like("mv -f -- %0 %1");
const CP: Act = Act::Like("cp -f -- %0 %1");
const CP_TREE: Act = Act::Like("cp -rf -- %0 %1");
const LINK: Act = Act::Like("ln -- %0 %1");
const SYMLINK: Act = Act::Like("ln -s -- %0 %1");
const MKDIR: Act = Act::Like("mkdir -p -- %0");
const TOUCH: Act = Act::Like("touch -- %0");
const CHMOD: Act = Act::Like("chmod %o1 -- %0");
const CHMOD_FIRST: Act = Act::Like("chmod %o0 -- %1");
const CHMOD_TREE: Act = Act::Like("chmod -R %o0 -- %1");
const CHOWN: Act = Act::Like("chown %1 -- %0");
const TRUNCATE: Act = Act::Like("truncate -s %1 -- %0");
const KILL: Act = Act::Like("kill -%1 %0");

#[rustfmt::skip]
const PYTHON: &[Row] = &[
    (&["os.system", "os.popen", "os.popen2", "os.popen3", "commands.getoutput", "commands.getstatusoutput",
       "subprocess.getoutput", "subprocess.getstatusoutput", "asyncio.create_subprocess_shell", "get_ipython().system",
       "IPython.get_ipython().system", "platform.popen", "pexpect.spawn", "pexpect.run", "pexpect.runu", "invoke.run",
       "plumbum.local", "fabric.api.local", "local", "delegator.run", "sh.bash", "pty.spawn"], Act::Shell),
    (&["subprocess.run", "subprocess.call", "subprocess.check_call", "subprocess.check_output", "subprocess.Popen",
       "asyncio.create_subprocess_exec", "trio.run_process", "anyio.run_process", "psutil.Popen"], Act::Program),
    (&["os.execv", "os.execve", "os.execvp", "os.execvpe", "os.execl", "os.execle", "os.execlp", "os.execlpe",
       "os.posix_spawn", "os.posix_spawnp", "_posixsubprocess.fork_exec"], Act::Exec),
    (&["os.spawnl", "os.spawnle", "os.spawnlp", "os.spawnv", "os.spawnve", "os.spawnvp", "os.spawnvpe"], Act::Exec),
    (&["os.startfile"], Act::Shell),
    (&["shutil.rmtree", "distutils.dir_util.remove_tree", "setuptools.distutils.dir_util.remove_tree", "send2trash.send2trash",
       "sh.rm", "tf.io.gfile.rmtree"], RM_TREE),
    (&["os.remove", "os.unlink", "os.removedirs", "os.path.os.remove"], RM_ONE),
    (&["os.rmdir"], RMDIR),
    (&["os.rename", "os.renames", "os.replace", "shutil.move"], MV),
    (&["shutil.copy", "shutil.copy2", "shutil.copyfile", "distutils.file_util.copy_file"], CP),
    (&["shutil.copytree", "distutils.dir_util.copy_tree"], CP_TREE),
    (&["os.link"], LINK),
    (&["os.symlink"], SYMLINK),
    (&["os.mkdir", "os.makedirs"], MKDIR),
    (&["os.mknod", "os.mkfifo", "os.utime"], TOUCH),
    (&["os.chmod", "os.lchmod"], CHMOD),
    (&["os.chown", "os.lchown", "shutil.chown"], CHOWN),
    (&["os.truncate"], TRUNCATE),
    (&["os.kill", "os.killpg", "signal.pthread_kill"], KILL),
    (&["os.setuid", "os.seteuid", "os.setreuid", "os.setresuid", "os.chroot"], Act::Same),
    (&["open", "io.open", "codecs.open", "gzip.open", "bz2.open", "lzma.open", "os.fdopen", "os.open", "aiofiles.open", "file",
       "zipfile.ZipFile", "tarfile.open", "sqlite3.connect"], Act::Open),
    (&["linecache.getlines", "fileinput.input", "fileinput.FileInput", "numpy.loadtxt", "pandas.read_csv",
       "dotenv.dotenv_values", "shutil.make_archive"], Act::Read),
    (&["urllib.request.urlopen", "urllib.request.Request", "urllib2.urlopen", "urllib2.Request", "urllib.urlopen", "requests.get",
       "requests.post", "requests.put", "requests.patch", "requests.delete", "requests.head", "requests.request",
       "requests.Session().get", "requests.Session().post", "requests.Session().put", "requests.session().get",
       "requests.session().post", "httpx.get", "httpx.post", "httpx.put", "httpx.request", "httpx.Client().get", "httpx.Client().post",
       "aiohttp.ClientSession().get", "aiohttp.ClientSession().post", "aiohttp.request", "http.client.HTTPSConnection",
       "http.client.HTTPConnection", "httplib.HTTPSConnection", "httplib.HTTPConnection", "urllib3.PoolManager().request",
       "urllib3.request", "ftplib.FTP", "ftplib.FTP_TLS", "smtplib.SMTP", "smtplib.SMTP_SSL", "telnetlib.Telnet", "websocket.create_connection",
       "xmlrpc.client.ServerProxy", "paramiko.Transport", "requests.api.post", "requests.api.get", "pycurl.Curl", "wget"], Act::Fetch),
    (&["urllib.request.urlretrieve", "urllib.urlretrieve", "wget.download"], Act::Download),
    (&["socket.create_connection", "socket.socket().connect", "socket.socket().connect_ex", "asyncio.open_connection",
       "ssl.wrap_socket().connect"], Act::Connect),
    (&["socket.gethostbyname", "socket.getaddrinfo", "dns.resolver.resolve"], Act::Fetch),
    (&["http.server.HTTPServer", "http.server.test", "socketserver.TCPServer", "socket.socket().bind", "socket.create_server",
       "asyncio.start_server"], Act::Listen),
    (&["exec", "eval", "timeit.timeit", "code.interact", "code.InteractiveInterpreter().runcode",
       "cProfile.run", "profile.run", "timeit.Timer"], Act::Eval),
    (&["execfile", "runpy.run_path"], Act::EvalFile),
    (&["marshal.loads"], Act::Decode(Codec::Opaque)),
    (&["pickle.loads", "cPickle.loads", "_pickle.loads", "dill.loads", "cloudpickle.loads", "jsonpickle.decode",
       "yaml.unsafe_load", "pickle.load", "marshal.load", "dill.load", "joblib.load", "torch.load"], Act::Unpickle),
    (&["os.fork", "os.forkpty", "pty.fork"], Act::Fork),
    (&["os.wait", "os.waitpid", "os._exit"], Act::Wait),
    (&["os.dup2", "os.dup"], Act::Redirect),
    (&["base64.b64decode", "base64.urlsafe_b64decode", "base64.standard_b64decode", "base64.decodebytes", "base64.decodestring",
       "binascii.a2b_base64"], Act::Decode(Codec::Base64)),
    (&["bytes.fromhex", "bytearray.fromhex", "binascii.unhexlify", "binascii.a2b_hex", "base64.b16decode"], Act::Decode(Codec::Hex)),
    (&["base64.b32decode", "base64.b85decode", "base64.a85decode", "zlib.decompress", "gzip.decompress", "bz2.decompress",
       "lzma.decompress", "binascii.rlecode_hqx", "cryptography.fernet.Fernet().decrypt"], Act::Decode(Codec::Opaque)),
    (&["codecs.decode", "codecs.encode"], Act::Decode(Codec::Rot13)),
    (&["chr", "unichr"], Act::Characters),
    (&["bytes", "bytearray"], Act::Characters),
    (&["os.path.join", "pathlib.Path", "pathlib.PosixPath", "pathlib.PurePath", "pathlib.PurePosixPath", "Path", "posixpath.join"], Act::Path),
    (&["pathlib.Path.home", "Path.home"], Act::Home),
    (&["os.getcwd", "os.getcwdb", "pathlib.Path.cwd", "Path.cwd"], Act::Here),
    (&["os.getenv", "os.environ.get", "ENV.get", "ENV.pop", "os.getenvb"], Act::Environment),
    (&["glob.glob", "glob.iglob"], Act::Glob),
    (&["os.listdir", "os.scandir", "os.walk", "os.fwalk"], Act::Inside),
    (&["__import__", "importlib.import_module", "importlib.__import__"], Act::Import),
    (&["getattr", "operator.attrgetter"], Act::Member),
    (&["functools.partial", "threading.Thread", "multiprocessing.Process", "atexit.register", "operator.call", "asyncio.run",
       "asyncio.get_event_loop().run_until_complete"], Act::Apply),
    (&["map", "filter", "starmap", "itertools.starmap"], Act::Map),
    (&["str", "repr", "list", "tuple", "sorted", "set", "iter", "compile", "vars", "os.fspath", "os.fsencode", "os.fsdecode",
       "os.path.abspath", "os.path.realpath", "os.path.normpath", "io.BytesIO", "io.StringIO", "shlex.quote", "enumerate", "next",
       "urllib.parse.unquote", "textwrap.dedent", "contextlib.closing", "dict", "zip", "json.dumps", "json.loads", "urllib.parse.urlencode",
       "urllib.parse.quote", "base64.b64encode", "memoryview", "min", "max", "any", "all"], Act::Same),
    (&["shlex.split"], Act::Words),
    (&["os.path.expanduser", "os.path.expandvars"], Act::Expand),
    (&["reversed"], Act::Reverse),
    (&["print", "sys.stdout.write", "pprint.pprint", "sys.stdout.buffer.write"], Act::Print),
];

#[rustfmt::skip]
const JAVASCRIPT: &[Row] = &[
    (&["child_process.exec", "child_process.execSync", "shelljs.exec", "shell.exec", "$", "Bun.$", "execa.command", "execaCommand",
       "execa.execaCommand", "execaCommandSync", "zx.$", "$.sync"], Act::Shell),
    (&["child_process.spawn", "child_process.spawnSync", "child_process.execFile", "child_process.execFileSync", "execa", "execa.execa",
       "execa.execaSync", "execa.sync", "Bun.spawn", "Bun.spawnSync", "Deno.run", "Deno.Command", "Deno.Command().output",
       "cross-spawn", "cross-spawn.sync", "node-pty.spawn"], Act::Program),
    (&["fs.rmSync", "fs.rm", "fs.rmdirSync", "fs.rmdir", "fs.removeSync", "fs.remove", "fs.emptyDirSync", "fs.emptyDir", "rimraf",
       "rimraf.sync", "rimraf.rimraf", "rimraf.rimrafSync", "del", "del.sync", "del.deleteSync", "del.deleteAsync", "trash", "shelljs.rm",
       "Deno.remove", "Deno.removeSync"], RM_TREE),
    (&["fs.unlinkSync", "fs.unlink"], RM_ONE),
    (&["fs.renameSync", "fs.rename", "fs.moveSync", "fs.move", "Deno.rename", "Deno.renameSync"], MV),
    (&["fs.copyFileSync", "fs.copyFile", "fs.copySync", "fs.copy", "Deno.copyFile", "Deno.copyFileSync"], CP),
    (&["fs.cpSync", "fs.cp"], CP_TREE),
    (&["fs.linkSync", "fs.link", "Deno.link"], LINK),
    (&["fs.symlinkSync", "fs.symlink", "Deno.symlink"], SYMLINK),
    (&["fs.mkdirSync", "fs.mkdir", "fs.mkdirpSync", "fs.ensureDirSync", "Deno.mkdir", "Deno.mkdirSync"], MKDIR),
    (&["fs.utimesSync", "fs.utimes", "fs.ensureFileSync"], TOUCH),
    (&["fs.chmodSync", "fs.chmod", "fs.lchmodSync", "Deno.chmod", "Deno.chmodSync"], CHMOD),
    (&["fs.chownSync", "fs.chown", "Deno.chown"], CHOWN),
    (&["fs.truncateSync", "fs.truncate", "Deno.truncate", "Deno.truncateSync"], TRUNCATE),
    (&["process.kill", "Deno.kill"], KILL),
    (&["fs.writeFileSync", "fs.writeFile", "fs.outputFileSync", "fs.outputFile", "fs.writeJsonSync", "fs.createWriteStream", "Bun.write",
       "Deno.writeTextFile", "Deno.writeTextFileSync", "Deno.writeFile", "Deno.writeFileSync"], Act::Put),
    (&["fs.appendFileSync", "fs.appendFile"], Act::Append),
    (&["fs.openSync", "fs.open", "Deno.open", "Deno.openSync", "Deno.create"], Act::Open),
    (&["fs.readFileSync", "fs.readFile", "fs.createReadStream", "fs.readJsonSync", "Bun.file", "Deno.readTextFile", "Deno.readTextFileSync",
       "Deno.readFile", "Deno.readFileSync"], Act::Read),
    (&["fetch", "axios", "axios.get", "axios.post", "axios.put", "axios.request", "http.get", "http.request", "https.get", "https.request",
       "node-fetch", "got", "got.get", "got.post", "request", "request.post", "request.get", "superagent.post", "superagent.get", "WebSocket",
       "ws", "XMLHttpRequest().open", "navigator.sendBeacon", "needle.post", "undici.fetch", "undici.request", "dns.lookup", "dns.resolve",
       "dns.resolve4", "dns.resolveTxt", "EventSource"], Act::Fetch),
    (&["net.connect", "net.createConnection", "net.Socket().connect", "tls.connect", "Deno.connect", "Bun.connect"], Act::Connect),
    (&["http.createServer().listen", "net.createServer().listen", "Deno.serve", "Bun.serve", "Deno.listen"], Act::Listen),
    (&["eval", "Function", "vm.runInThisContext", "vm.runInNewContext", "vm.runInContext", "vm.Script", "setTimeout", "setInterval",
       "setImmediate", "vm.compileFunction",], Act::Eval),
    (&["v8.deserialize", "node-serialize.unserialize"], Act::Unpickle),
    (&["cluster.fork", "child_process.fork"], Act::Fork),
    (&["atob"], Act::Decode(Codec::Base64)),
    (&["zlib.inflateSync", "zlib.gunzipSync", "zlib.brotliDecompressSync", "zlib.inflateRawSync", "zlib.unzipSync", "Bun.gunzipSync",
       "crypto.createDecipheriv"], Act::Decode(Codec::Opaque)),
    (&["Buffer.from", "Buffer"], Act::Format),
    (&["String.fromCharCode", "String.fromCodePoint"], Act::Characters),
    (&["path.join", "path.resolve", "path.posix.join"], Act::Path),
    (&["os.homedir", "Deno.homeDir"], Act::Home),
    (&["process.cwd", "Deno.cwd"], Act::Here),
    (&["ENV.get", "Deno.env.get"], Act::Environment),
    (&["fs.globSync", "fs.glob", "glob.sync", "glob.globSync", "glob", "fast-glob.sync", "globby.sync"], Act::Glob),
    (&["fs.readdirSync", "fs.readdir", "fs.opendirSync", "Deno.readDirSync", "Deno.readDir"], Act::Inside),
    (&["require", "import", "process.getBuiltinModule", "module.createRequire()"], Act::Import),
    (&["Reflect.get"], Act::Member),
    (&["util.promisify", "Promise.resolve", "String", "Object.values", "Object.entries", "Array.from", "JSON.stringify", "encodeURIComponent",
       "decodeURIComponent", "unescape", "URL", "JSON.parse", "path.normalize", "btoa", "String.raw", "Promise.all", "fs.realpathSync",
       "Object.assign", "URLSearchParams"], Act::Same),
    (&["console.log", "console.error", "console.info", "process.stdout.write", "print"], Act::Print),
];

#[rustfmt::skip]
const PERL: &[Row] = &[
    (&["system", "exec", "readpipe", "IPC.Open3.open3", "IPC.Open2.open2", "open3", "open2", "capture", "capturex", "systemx"], Act::Shell),
    (&["rmtree", "remove_tree", "File.Path.rmtree", "File.Path.remove_tree", "File.Remove.remove"], RM_TREES),
    (&["unlink"], RM),
    (&["rmdir"], RMDIR),
    (&["rename", "move", "mv", "File.Copy.move"], MV),
    (&["copy", "cp", "File.Copy.copy", "rcopy", "dircopy"], CP),
    (&["link"], LINK),
    (&["symlink"], SYMLINK),
    (&["mkdir", "mkpath", "make_path"], MKDIR),
    (&["chmod"], CHMOD_FIRST),
    (&["chown"], Act::Like("chown %0 -- %2")),
    (&["truncate"], TRUNCATE),
    (&["kill"], Act::Like("kill -%0 %1")),
    (&["open", "sysopen"], Act::PerlOpen),
    (&["read_file", "slurp", "File.Slurp.read_file", "path().slurp"], Act::Read),
    (&["write_file", "File.Slurp.write_file"], Act::Put),
    (&["get", "getprint", "LWP.Simple.get", "LWP.UserAgent.new().get", "LWP.UserAgent.new().post", "HTTP.Tiny.new().get",
       "HTTP.Tiny.new().post", "HTTP.Tiny.new().request", "Mojo.UserAgent.new().get"], Act::Fetch),
    (&["getstore", "mirror", "LWP.Simple.getstore", "HTTP.Tiny.new().mirror"], Act::Download),
    (&["connect", "IO.Socket.INET.new", "IO.Socket.INET", "IO.Socket.IP", "IO.Socket.new", "IO.Socket.IP.new", "IO.Socket.SSL.new", "inet_aton", "sockaddr_in"], Act::Connect),
    (&["bind"], Act::Listen),
    (&["eval"], Act::Eval),
    (&["Storable.thaw", "thaw"], Act::Unpickle),
    (&["fork"], Act::Fork),
    (&["wait", "waitpid"], Act::Wait),
    (&["decode_base64", "MIME.Base64.decode_base64", "MIME.Base64.decode"], Act::Decode(Codec::Base64)),
    (&["uncompress", "Compress.Zlib.memGunzip"], Act::Decode(Codec::Opaque)),
    (&["pack", "unpack"], Act::Format),
    (&["chr"], Act::Characters),
    (&["catfile", "catdir", "File.Spec.catfile"], Act::Path),
    (&["cwd", "getcwd", "Cwd.getcwd"], Act::Here),
    (&["glob", "bsd_glob"], Act::Glob),
    (&["readdir", "opendir"], Act::Inside),
    (&["reverse"], Act::Reverse),
    (&["join"], Act::Implode),
    (&["map", "grep", "keys", "values", "sort", "scalar", "lc", "uc", "quotemeta", "shift", "uniq"], Act::Same),
    (&["print", "say", "printf"], Act::Print),
];

#[rustfmt::skip]
const RUBY: &[Row] = &[
    (&["system", "exec", "spawn", "IO.popen", "Open3.capture2", "Open3.capture2e", "Open3.capture3", "Open3.popen3", "Open3.popen2",
       "Open3.pipeline", "Process.spawn", "Process.exec", "PTY.spawn", "sh", "Shell.execute"], Act::Shell),
    (&["FileUtils.rm_rf", "FileUtils.rm_r", "FileUtils.rmtree", "FileUtils.remove_dir", "FileUtils.remove_entry",
       "FileUtils.remove_entry_secure", "FileUtils.safe_unlink_r", "rm_rf", "rm_r"], RM_TREES),
    (&["FileUtils.rm", "FileUtils.rm_f", "FileUtils.remove", "FileUtils.remove_file", "FileUtils.safe_unlink", "File.delete",
       "File.unlink"], RM),
    (&["Dir.rmdir", "Dir.delete", "Dir.unlink", "FileUtils.rmdir"], RMDIR),
    (&["File.rename", "FileUtils.mv", "FileUtils.move"], MV),
    (&["FileUtils.cp", "FileUtils.copy", "FileUtils.copy_file", "FileUtils.install", "IO.copy_stream"], CP),
    (&["FileUtils.cp_r", "FileUtils.copy_entry"], CP_TREE),
    (&["File.link", "FileUtils.ln"], LINK),
    (&["File.symlink", "FileUtils.ln_s", "FileUtils.ln_sf"], SYMLINK),
    (&["Dir.mkdir", "FileUtils.mkdir", "FileUtils.mkdir_p"], MKDIR),
    (&["FileUtils.touch", "File.utime"], TOUCH),
    (&["File.chmod", "FileUtils.chmod", "File.lchmod"], CHMOD_FIRST),
    (&["FileUtils.chmod_R"], CHMOD_TREE),
    (&["FileUtils.chown"], Act::Like("chown %0 -- %2")),
    (&["FileUtils.chown_R"], Act::Like("chown -R %0 -- %2")),
    (&["File.truncate"], TRUNCATE),
    (&["Process.kill"], Act::Like("kill -%0 %1")),
    (&["File.write", "IO.write", "File.binwrite", "IO.binwrite"], Act::Put),
    (&["open", "File.open", "File.new", "Zlib.GzipWriter.open"], Act::Open),
    (&["File.read", "IO.read", "File.readlines", "IO.readlines", "File.foreach", "IO.foreach", "File.binread", "YAML.load_file",
       "JSON.load_file", "CSV.read"], Act::Read),
    (&["Net.HTTP.get", "Net.HTTP.post", "Net.HTTP.post_form", "Net.HTTP.start", "Net.HTTP.get_response", "Net.HTTP.new", "URI.open",
       "HTTParty.get", "HTTParty.post", "Faraday.get", "Faraday.post", "RestClient.get", "RestClient.post", "OpenURI.open_uri",
       "HTTP.get", "HTTP.post"], Act::Fetch),
    (&["TCPSocket.new", "TCPSocket.open", "UDPSocket.new().connect", "Socket.tcp"], Act::Connect),
    (&["TCPServer.new", "TCPServer.open", "WEBrick.HTTPServer.new"], Act::Listen),
    (&["eval", "instance_eval", "class_eval", "module_eval", "binding.eval", "RubyVM.InstructionSequence.compile"], Act::Eval),
    (&["load"], Act::EvalFile),
    (&["Marshal.load", "YAML.unsafe_load"], Act::Unpickle),
    (&["fork", "Process.fork"], Act::Fork),
    (&["Process.wait", "Process.waitpid", "Process.waitall"], Act::Wait),
    (&["Base64.decode64", "Base64.strict_decode64", "Base64.urlsafe_decode64"], Act::Decode(Codec::Base64)),
    (&["Zlib.inflate", "Zlib.Inflate.inflate", "Zlib.gunzip"], Act::Decode(Codec::Opaque)),
    (&["File.join", "Pathname.new", "Pathname"], Act::Path),
    (&["Dir.home", "Etc.getpwuid().dir"], Act::Home),
    (&["Dir.pwd", "Dir.getwd"], Act::Here),
    (&["ENV.fetch", "ENV.delete"], Act::Environment),
    (&["Dir.glob"], Act::Glob),
    (&["Dir.entries", "Dir.children", "Dir.each_child", "Find.find", "Dir.foreach"], Act::Inside),
    (&["send", "public_send", "__send__", "method", "method().call", "public_method"], Act::Apply),
    (&["URI", "URI.parse", "URI.encode_www_form", "Array", "String", "lambda", "proc", "Shellwords.escape", "File.realpath", "File.absolute_path"], Act::Same),
    (&["Shellwords.split"], Act::Words),
    (&["File.expand_path"], Act::Expand),
    (&["puts", "print", "p", "pp", "STDOUT.puts", "$stdout.puts"], Act::Print),
];

#[rustfmt::skip]
const PHP: &[Row] = &[
    (&["system", "exec", "shell_exec", "passthru", "popen", "proc_open", "expect_popen"], Act::Shell),
    (&["pcntl_exec"], Act::Program),
    (&["unlink"], RM_ONE),
    (&["rmdir"], RMDIR),
    (&["rename", "move_uploaded_file"], MV),
    (&["copy"], CP),
    (&["link"], LINK),
    (&["symlink"], SYMLINK),
    (&["mkdir"], MKDIR),
    (&["touch"], TOUCH),
    (&["chmod"], CHMOD),
    (&["chown", "chgrp"], CHOWN),
    (&["posix_kill"], KILL),
    (&["file_put_contents"], Act::Put),
    (&["fopen", "gzopen", "bzopen", "SplFileObject"], Act::Open),
    (&["file_get_contents", "file", "readfile", "show_source", "highlight_file", "parse_ini_file"], Act::Read),
    (&["curl_init", "get_headers", "ftp_connect", "ssh2_connect", "SoapClient", "mail", "curl_setopt", "dns_get_record"], Act::Fetch),
    (&["fsockopen", "pfsockopen", "stream_socket_client", "socket_connect"], Act::Connect),
    (&["stream_socket_server", "socket_bind"], Act::Listen),
    (&["eval", "assert", "create_function"], Act::Eval),
    (&["include", "include_once", "require", "require_once"], Act::EvalFile),
    (&["unserialize"], Act::Unpickle),
    (&["pcntl_fork"], Act::Fork),
    (&["pcntl_wait", "pcntl_waitpid"], Act::Wait),
    (&["base64_decode"], Act::Decode(Codec::Base64)),
    (&["hex2bin"], Act::Decode(Codec::Hex)),
    (&["str_rot13"], Act::Decode(Codec::Rot13)),
    (&["gzinflate", "gzuncompress", "gzdecode", "openssl_decrypt", "convert_uudecode"], Act::Decode(Codec::Opaque)),
    (&["chr"], Act::Characters),
    (&["getcwd"], Act::Here),
    (&["getenv"], Act::Environment),
    (&["glob"], Act::Glob),
    (&["scandir", "opendir", "RecursiveDirectoryIterator", "DirectoryIterator"], Act::Inside),
    (&["call_user_func", "call_user_func_array", "register_shutdown_function"], Act::Apply),
    (&["array_map"], Act::Map),
    (&["strrev"], Act::Reverse),
    (&["implode", "join"], Act::Implode),
    (&["curl_exec", "fread", "fgets", "stream_get_contents", "trim", "realpath", "strtolower", "escapeshellarg", "escapeshellcmd", "json_encode",
       "json_decode", "urlencode", "array_filter", "RecursiveIteratorIterator", "base64_encode", "serialize"], Act::Same),
    (&["echo", "print", "print_r", "var_dump", "printf"], Act::Print),
];

#[rustfmt::skip]
const LUA: &[Row] = &[
    (&["os.execute", "io.popen", "vim.fn.system", "vim.fn.systemlist", "hs.execute", "awful.spawn"], Act::Shell),
    (&["vim.fn.delete", "os.remove"], RM_ONE),
    (&["lfs.rmdir"], RMDIR),
    (&["os.rename"], MV),
    (&["io.open", "io.output"], Act::Open),
    (&["io.lines", "io.input"], Act::Read),
    (&["http.request", "socket.http.request", "https.request"], Act::Fetch),
    (&["socket.connect", "socket.tcp().connect"], Act::Connect),
    (&["load", "loadstring"], Act::Eval),
    (&["dofile", "loadfile"], Act::EvalFile),
    (&["string.char", "utf8.char"], Act::Characters),
    (&["string.reverse"], Act::Reverse),
    (&["table.concat", "assert", "ipairs", "pairs", "tostring"], Act::Same),
    (&["os.getenv"], Act::Environment),
    (&["lfs.dir"], Act::Inside),
    (&["require"], Act::Import),
    (&["pcall", "xpcall"], Act::Apply),
    (&["print", "io.write"], Act::Print),
];

/// R, Julia, Elixir, Groovy, Swift, Tcl and others: few names mean different things in two of them.
#[rustfmt::skip]
const OTHER: &[Row] = &[
    (&["system", "shell", "base.system", "os.cmd", "sys.process.Process", "Process", "exec", "System.shell", "Runtime.getRuntime().exec",
       "java.lang.Runtime.getRuntime().exec", "pipe"], Act::Shell),
    (&["system2", "System.cmd", "run", "readchomp", "processx.run", "ProcessBuilder", "Process.run", "exec.Command", "Kernel.system"], Act::Program),
    (&["unlink", "File.rm_rf", "File.rm_rf!", "fs.dir_delete", "os.RemoveAll", "FileUtils.deleteDirectory"], RM_TREE),
    (&["file.remove", "File.rm", "File.rm!", "file.delete", "rm", "Files.delete", "Files.deleteIfExists", "FileManager.default.removeItem",
       "os.Remove", "File.rmdir"], RM_TREE),
    (&["file.rename", "File.rename", "mv", "File.rename!"], MV),
    (&["file.copy", "File.cp", "File.cp_r", "cp", "File.cp!"], CP_TREE),
    (&["Sys.chmod", "chmod"], CHMOD),
    (&["File.write", "File.write!", "write", "Files.write"], Act::Put),
    (&["writeLines", "saveRDS", "write.csv"], Act::Same),
    (&["open", "file"], Act::Open),
    (&["readLines", "File.read", "File.read!", "read", "readlines", "scan", "Files.readString", "readRDS"], Act::Read),
    (&["url", "httr.GET", "httr.POST", "HTTP.get", "HTTP.post", "HTTPoison.get", "HTTPoison.post", "HTTPoison.get!", "HTTPoison.post!",
       "Req.get!", "Req.post!", "httpc.request", "GET", "POST", "curl_fetch_memory"], Act::Fetch),
    (&["download.file", "Downloads.download", "download"], Act::Download),
    (&["socketConnection", "gen_tcp.connect", "Sockets.connect", "Socket"], Act::Connect),
    (&["eval", "Code.eval_string", "include_string", "evaluate", "Eval.me"], Act::Eval),
    (&["source", "include", "Code.eval_file"], Act::EvalFile),
    (&["Base.decode64!", "Base.decode64", "base64decode", "base64_dec", "jsonlite.base64_dec"], Act::Decode(Codec::Base64)),
    (&["file.path", "joinpath", "Path.join", "File"], Act::Path),
    (&["path.expand", "expanduser", "Path.expand", "normalizePath"], Act::Expand),
    (&["homedir", "System.user_home", "System.user_home!", "NSHomeDirectory"], Act::Home),
    (&["Sys.getenv", "System.get_env", "System.getenv"], Act::Environment),
    (&["Sys.glob", "Path.wildcard"], Act::Glob),
    (&["list.files", "readdir", "File.ls!"], Act::Inside),
    (&["paste0"], Act::Format),
    (&["rawToChar", "intToUtf8", "parse", "cmd", "Cmd", "ignorestatus", "pipeline", "c", "to_charlist", "String.to_charlist"], Act::Same),
    (&["print", "println", "cat", "IO.puts", "puts"], Act::Print),
];

/// Methods of any value, in which the value is the first argument.
#[rustfmt::skip]
const METHODS: &[(&str, Act)] = &[
    ("unlink", RM_ONE), ("rmdir", RMDIR), ("rmtree", RM_TREE), ("rmtree_p", RM_TREE), ("remove_tree", RM_TREE),
    ("write_text", Act::Put), ("write_bytes", Act::Put), ("read_text", Act::Read), ("read_bytes", Act::Read), ("slurp", Act::Read),
    ("spew", Act::Put), ("touch", TOUCH), ("rename", MV), ("replace", MV), ("mkdir", MKDIR), ("symlink_to", SYMLINK), ("hardlink_to", LINK),
    ("chmod", CHMOD), ("open", Act::Open), ("expanduser", Act::Expand), ("joinpath", Act::Path), ("execute", Act::Shell),
    ("deleteDir", RM_TREE), ("deleteRecursively", RM_TREE), ("unlinkSync", RM_ONE), ("delete", RM_TREE),
    ("iterdir", Act::Inside), ("resolve", Act::Same), ("absolute", Act::Same),
    ("unescape", Act::Same), ("toURL", Act::Same),
];

fn table(language: Language) -> &'static [Row] {
    match language {
        Language::Python => PYTHON,
        Language::JavaScript => JAVASCRIPT,
        Language::Perl => PERL,
        Language::Ruby => RUBY,
        Language::Php => PHP,
        Language::Lua => LUA,
        _ => OTHER,
    }
}

/// What a function does.
pub(super) fn find(language: Language, name: &str) -> Option<Act> {
    table(language).iter().find(|(names, _)| names.contains(&name)).map(|(_, act)| *act)
}

pub(super) fn is_known(language: Language, name: &str) -> bool {
    find(language, name).is_some()
}

/// What a method does, whatever it is called on.
pub(super) fn method(name: &str) -> Option<Act> {
    METHODS.iter().find(|(it, _)| *it == name).map(|(_, act)| *act)
}
