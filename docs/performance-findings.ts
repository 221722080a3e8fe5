import type { BenchmarkName } from '../bench/benchmarks/benchmarks.ts'

/** What is compared, and what profiles say stands between a figure and more. Figures are not repeated here: they change. */
interface Finding {
  readonly about: string
  readonly limit?: string
}

/** What holds for all of them. */
export const LIMITS: readonly string[] = [
  'One event costs processor time in two threads: the main one, which parses, decides, signs and speaks HTTP, and the one that writes to SQLite. The main one is full first, with the other between a quarter and a half: what is left to gain is there.',
  'What is not processor time is the disk: a commit is an fsync. An event goes out after the one that accepts it, and its place in the lane is free after the one that records its delivery. All that arrives meanwhile shares them, so a slow disk makes larger commits, not fewer events, as long as enough may be on their way: connections that send, and `laneWindow` for each destination.',
]

export const FINDINGS: Readonly<Record<BenchmarkName, Finding>> = {
  'ingest-single': {
    about:
      'One call in a request over 64 connections, each on disk before its 200, against a bare `node:http` server that parses the JSON and answers.',
    limit:
      'The bare server spends its time in the HTTP parser of Node and in writing to sockets; next to it everything weighs. Of a call here, the profile gives a quarter to sockets and waking other threads, a tenth each to parsing, to checking and stamping, to serialising again and copying to the thread that writes, and to the framework; the rest are hundreds of functions with less than one part in a hundred each. The thread that writes is busy for a third of the time.',
  },
  'ingest-batch': {
    about: 'The same with batches of 20 calls, as client libraries send them.',
    limit:
      'The bare server does one `JSON.parse` for all calls of a request; here each is validated, stamped, serialised again and written with its index entries. In the main thread that is parsing first, then garbage collection and serialising, together half of its time; it is idle for a quarter, while all that the 64 connections have sent waits for its commit. The thread that writes is busy for less than half of the time, inserting and committing in equal parts. The indexes by messageId and by user begin with the segment of the event ([decision 10](decisions/0010-indexes-begin-with-the-segment.md)): what an event adds to them lands on the few pages of the last segment, where it used to make a page of each dirty at a random place.',
  },
  delivery: {
    about:
      'From the log through decision, signature and request to a receiver in another process, each delivery recorded, against a bare loop of undici requests with the same bodies, signatures and concurrency that keeps nothing. Events are appended, on disk, as fast as they are delivered.',
    limit:
      'The main thread does what the bare loop does, and appends, decides and records besides; it has no moment left, while the thread that writes is busy for a quarter of the time. The largest single costs are the HTTP client with writing to sockets, handing rows to the thread that writes, and signing; no other takes more than a twentieth.',
  },
  'delivery-peers': {
    about:
      'The same stream of events against what one would write by hand with BullMQ on Redis and with pg-boss on PostgreSQL: same bodies, signatures, concurrency and receiver ([bench/programs](../bench/programs)). How durable each is stands below: with appendonly off, Redis loses its queue when it is killed.',
    limit:
      'BullMQ calls Redis once for each job that ends, and keeps no history. pg-boss is driven in bulk, inserting, fetching and completing many jobs in one statement, so that they share a commit as events do here: its documented `work()`, with the same batches, was slower.',
  },
  'end-to-end': {
    about:
      'From the call to the receiver, at half of the greatest rate at which single calls pass through. Calls come at random times at a rate that waits for nobody, and the clock of each starts when it was due: what a slow moment delays counts in full.',
    limit:
      'A call waits for one commit before it goes out, and for the request itself; what is late waited for a commit that the disk made long.',
  },
  isolation: {
    about:
      'How late nine healthy webhooks get their events beside a tenth that never answers, and how much of it, at 80 % of what the ten take.',
  },
  growth: {
    about:
      'Events per second from call to receiver with much history and many pending deliveries of the same destination, against an empty database. Both services run, and are loaded in turn.',
    limit:
      'Little: the indexes by messageId and by user begin with the segment ([decision 10](decisions/0010-indexes-begin-with-the-segment.md)), so that what is added lands on few pages however much there is, and a messageId is looked for in memory: that grows with the events of `dedupeWindowMs`, not with the history.',
  },
  memory: {
    about:
      'Memory of the process after the same load, with a million pending deliveries and with none. What is pending is in the database, and only what is due soon is read.',
  },
  restart: {
    about:
      'From the start of the process to the first delivery of one that waited, with a million pending.',
    limit:
      'Loading the code: the database is opened and the first due deliveries are found by an index.',
  },
  cost: {
    about: 'What an event costs from the call to the receiver.',
    limit:
      'Where little comes, commits are shared by few: that is why an event costs more at half of the rate. On disk an event is its JSON with three index entries, two of which begin with its segment, and its delivery with the last attempt; and, while it is within `dedupeWindowMs`, 4 bytes of a filter.',
  },
  scaling: {
    about:
      'How throughput changes with the destinations of an event, the size of a call, and the backlog.',
  },
  'client-rate': {
    about:
      '`track()` calls enqueued per second on one core by the client library, against `@segment/analytics-node`, while no server answers.',
  },
  'client-memory': {
    about: 'Bytes of JSON that wait in the queue of the client for each byte of memory they take.',
  },
}
