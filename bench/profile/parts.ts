/** The location of a function in a profile. */
export interface Frame {
  readonly functionName: string
  /** Empty for native functions. */
  readonly url: string
}

const LOOP = 'event loop, socket reads, code outside of JavaScript'
const MESSAGES = 'messages between threads'
const SOCKETS = 'sockets'
const HASHES = 'hashing and random bytes'
const MODULES = 'module code'
const REST_OF_NODE = 'rest of Node'

/** Entries that are not functions have a name in brackets. */
const NOT_FUNCTIONS: Readonly<Record<string, string>> = {
  '(garbage collector)': 'garbage collection',
  '(program)': LOOP,
  '(root)': LOOP,
}

/** Node's modules by the beginning of their names, most specific first. */
const NODE_MODULES: readonly (readonly [RegExp, string])[] = [
  [/^node:(_?http|internal\/http)/, 'HTTP of Node'],
  [/^node:(net|_?stream|internal\/(stream|js_stream|net|dtrace))/, SOCKETS],
  [/^node:(crypto|internal\/crypto)/, HASHES],
  [/^node:(buffer|internal\/(buffer|encoding|blob|webidl|url|util\/types))/, 'buffers and text'],
  [/^node:(events|internal\/(event_target|events|abort_controller))/, 'events of Node'],
  [/^node:(timers|internal\/(timers|process\/(task_queues|promises)))/, 'timers, ticks, promises'],
  [/^node:(async_hooks|diagnostics_channel|internal\/async)/, 'timers, ticks, promises'],
  [/^node:(worker_threads|internal\/(worker|per_context\/messageport|structured))/, MESSAGES],
  [/^node:(internal\/modules|module|vm|internal\/(vm|bootstrap|source_map))/, MODULES],
  [/^node:(fs|internal\/fs)/, 'files'],
  [/^node:(zlib|internal\/zlib)/, 'compression'],
]

/** Native functions that our code calls directly, without a Node module in between. */
const NATIVE: readonly (readonly [RegExp, string])[] = [
  [/^(postMessage|structuredClone|receiveMessage|drain)$/, MESSAGES],
  [/^(writeBuffer|writev|write\w+String|readStart|readStop|shutdown)$/, SOCKETS],
  [/^(randomUUID|randomFillSync|createHmac|createHash|digest|hash)$/, HASHES],
]
/** Native functions of `node:sqlite`, by their names in a profile. */
const SQLITE: Readonly<Record<string, string>> = {
  run: 'SQLite: rows written',
  exec: 'SQLite: transactions',
  get: 'SQLite: rows read',
  all: 'SQLite: rows read',
  iterate: 'SQLite: rows read',
  next: 'SQLite: rows read',
  prepare: 'SQLite: statements prepared',
}

const SERVER = /\/packages\/server\/src\/(?:(.+)\/)?[^/]+$/
const PACKAGE = /\/packages\/([\w-]+)\//
const LIBRARY = /^.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//

/** Prefixes that distinguish our subfolders from libraries. */
const OURS = 'ours: '
const LIBRARIES = 'library: '

/**
 * The part of the program that a function belongs to: a subfolder of our code, a library, or a part of Node. A native function
 * that is not in these tables belongs to its caller's part.
 */
export function partOf({ functionName, url }: Frame, callerPart: string): string {
  if (url === '') return NOT_FUNCTIONS[functionName] ?? nativePart(functionName, callerPart)
  if (url.startsWith('wasm:')) return callerPart
  if (url.startsWith('node:')) return partOfNode(url)
  const library = LIBRARY.exec(url)
  if (library !== null) return `${LIBRARIES}${library[1]!}`
  const server = SERVER.exec(url)
  if (server !== null) return OURS + (server[1] ?? 'service')
  return OURS + (PACKAGE.exec(url)?.[1] ?? (url.includes('/bench/') ? 'the benchmark' : 'other'))
}

function partOfNode(url: string): string {
  const library = /^node:internal\/deps\/([^/]+)/.exec(url)
  return library === null ? (named(url, NODE_MODULES) ?? REST_OF_NODE) : LIBRARIES + library[1]!
}

function nativePart(functionName: string, callerPart: string): string {
  const isOfBackend = callerPart.startsWith(`${OURS}backend`)
  return (isOfBackend && SQLITE[functionName]) || (named(functionName, NATIVE) ?? callerPart)
}

function named(text: string, names: readonly (readonly [RegExp, string])[]): string | undefined {
  return names.find(([pattern]) => pattern.test(text))?.[1]
}

/** The part for a source line that calls JSON, which has no separate function in profiles. */
export function partOfLine(line: string): string | undefined {
  return /\bJSON\.(?:parse|stringify)\b/.exec(line)?.[0]
}
