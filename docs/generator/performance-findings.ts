import type { BenchmarkName } from '../../bench/benchmarks/benchmarks.ts'

/** The subject of a benchmark, and its bottleneck according to profiles. The figures are in bench/results. */
interface Finding {
  readonly about: string
  readonly limit?: string
}

/** The limits that all benchmarks share. */
export const LIMITS: readonly string[] = [
  '**Processor time.** The writer thread writes to SQLite. With one or two cores, the main thread does everything else: parsing, decisions, signatures and HTTP. From the third core on, separate threads do most of this (`ingestThreads`, `deliveryThreads`). On two cores, the main thread is the bottleneck, while the writer thread is busy for a quarter to a half of the time. More threads would take over some of its work, but messages between threads add about a quarter to the cost of an event. [`spent`](#spent) shows the cost of an event by thread and part, and [`cores`](#cores) the thread that is the bottleneck.',
  '**The disk.** Each commit is an fsync. An event is sent after the commit that accepts it, and leaves its lane after the commit that records its delivery. Events that arrive during a commit share the next one, so a slow disk makes commits larger, but does not reduce throughput. This requires enough concurrent events: enough client connections, and a large enough `webhookQueueSize`.',
]

export const FINDINGS: Readonly<Record<BenchmarkName, Finding>> = {
  'ingest-single': {
    about:
      'One call per request over 256 connections, each on disk before its 200. The peer is a bare `node:http` server that parses the JSON and responds. Because a call waits for the disk, the result with 64 connections is also shown.',
    limit:
      "The bare server only runs Node's HTTP parser and writes to sockets, so every further step is expensive in comparison. Hookline spends a quarter of the time of a call on sockets and on waking other threads. Four steps take a tenth each: parsing; validating and stamping; serialising and copying to the writer thread; the framework. The rest is hundreds of functions with less than one per cent each. The writer thread is busy for a third of the time.",
  },
  'ingest-batch': {
    about: 'Like `ingest-single`, with batches of 20 calls, as client libraries send them.',
    limit:
      'The bare server runs one `JSON.parse` for all calls of a request. Hookline validates, stamps, serialises and writes each call, with its index entries. Parsing, garbage collection and serialising take half of the time of the main thread. For a quarter of the time, it is idle, because all sent calls wait for their commit. The writer thread is busy for less than half of the time, with equal parts for inserts and commits. The indexes by messageId and by user start with the segment of the event ([decision 10](../decisions/0010-indexes-begin-with-the-segment.md)), so new index entries go to few pages. Otherwise, each event would change a random page of each index.',
  },
  delivery: {
    about:
      'From the log through decision, signature and request to a receiver in another process, with a record of each delivery. Events are appended to the log on disk as fast as they are delivered. The peer is a bare loop of undici requests with the same bodies, signatures and concurrency, which stores nothing.',
    limit:
      'The main thread does the work of the bare loop, and also appends, decides and records. Load, receiver and Hookline share the two cores, so the total cost of an event in all threads matters. [`delivery-steps`](#delivery-steps) shows the cost of each part: the log on disk adds as much as the whole bare loop, the records of deliveries two thirds of it, and everything else (decisions, lanes, retries, guards, health, metrics) as much again. The log alone doubles the cost of an event, so the goal cannot be met by optimising the rest.',
  },
  'delivery-peers': {
    about:
      'The same events through two hand-written programs: one with BullMQ on Redis, one with pg-boss on PostgreSQL. Bodies, signatures, concurrency and receiver are the same ([bench/programs](../../bench/programs)). The durability of each is below the table. With appendonly off, Redis loses its queue when it is killed.',
    limit:
      'BullMQ calls Redis for each finished job, and keeps no history. The pg-boss program inserts, fetches and completes many jobs in one statement, so jobs share commits, like events in Hookline. The documented `work()` of pg-boss was slower with the same batches.',
  },
  'end-to-end': {
    about:
      'Latency from the call to the receiver, at half of the maximum rate of single calls. Calls are sent at random times, without waiting for responses. The latency of a call starts when it is due, so late sends count.',
    limit:
      'A call waits for one commit before it is sent, and then for the request itself. The slowest calls waited for a slow commit.',
  },
  isolation: {
    about:
      'Latency and throughput of healthy webhooks next to faulty ones, at 80 % of the maximum load: nine destinations next to one whose webhook never responds, and three webhooks of a destination next to one that never responds and one that takes 4 s. Each run is compared with the runs before and after it, in which every webhook responds immediately. The noise is the difference between these two runs. A round counts only if the machine can handle the load without the fault. After other rounds, the load is reduced by 20 %.',
    limit:
      'The p99 is determined by the longest pauses of a run: garbage collections, the disk, and other processes on the same processors.',
  },
  growth: {
    about:
      'Events per second from call to receiver with a long history and a large backlog of the same destination, compared with an empty database. Both services run at the same time and get load in turns.',
    limit:
      'A long history costs little. The indexes by messageId and by user start with the segment ([decision 10](../decisions/0010-indexes-begin-with-the-segment.md)), so new entries always go to few pages. Duplicates are found in memory, at a cost that grows with the events of `dedupeWindow`, not with the history.',
  },
  memory: {
    about:
      'Memory of the process after the same load, with a million pending deliveries and with none. Pending deliveries stay in the database, and only those due soon are read.',
  },
  restart: {
    about: 'From the start of the process to the first delivery from a backlog of a million.',
    limit:
      'Loading the code takes most of the time. The database is only opened, and an index finds the first due deliveries.',
  },
  cost: {
    about: 'The resources that an event uses from the call to the receiver.',
    limit:
      'At a low rate, fewer events share a commit, so an event costs more at half of the rate. On disk, an event is its JSON, three index entries, and its delivery with the last attempt. Two of the index entries start with the segment. Within `dedupeWindow`, an event also uses 4 bytes of a filter.',
  },
  'cost-ratio': {
    about:
      'The processor time of an event from the call to the receiver, compared with the minimum: the bare server for the call, and the bare loop for the delivery.',
  },
  'one-event': {
    about:
      'The amount of code that one `track` call runs on its way to one receiver, and the number of messages between threads.',
  },
  'delivery-steps': {
    about:
      'The processor time of a delivered event, in steps from the bare loop of `delivery` to Hookline. The log: events are read from it, on disk, and acked. The records: each delivery is recorded on disk, in the same tables. Hookline adds decisions, lanes with their order, limits, breakers and retries, deadlines and guards of the HTTP client, health, metrics and activity.',
  },
  cores: {
    about:
      'Throughput with 0, 1, 2, … threads for ingestion and for delivery, and the share of a core that the busiest thread of each kind uses. As far as possible, the service has dedicated cores, so the shares show the next bottleneck. The last table is an estimate, not a measurement: the throughput on more cores, if the cost of an event stays the same. It ignores the load, the receiver, the disk, and resources that cores share.',
  },
  spent: {
    about:
      'The processor time of an event by part, before Hookline had threads for ingestion and delivery, and now. The time of a folder of our code, such as `delivery/lanes`, excludes functions that it calls elsewhere. Each row is a separate median, so the sum is only approximate. The program of `delivery` also generates and appends the events.',
  },
  scaling: {
    about: 'Throughput by number of destinations, size of a call, and backlog.',
  },
  cluster: {
    about:
      'Ingestion, and events from call to receiver, through 1, 2 and 3 nodes of a [cluster](../guides/cluster.md) with NATS and PostgreSQL on the same machine, compared with the embedded backend. A call counts when it is archived, because NATS alone accepts calls faster. “One at a time” is the time in which PostgreSQL archives an event and blocks other nodes from archiving; with several nodes, it includes the time that they wait for each other.',
    limit:
      'With one node, Hookline takes two thirds of the processor time of an event, PostgreSQL a quarter, and NATS a tenth. In addition to the work of the embedded backend, Hookline encodes messages and the parameters of statements. In PostgreSQL, half of the time is the archive: a row and its entries in seven indexes, after five lookups. A third is the record of the delivery: a row and its entries in four indexes. The rest is commits. Common events and deliveries use functions with cached plans; planning used to take a fifth of the time. A second node on the same two cores adds work: both archive and record smaller batches, and wait while the other one archives.',
  },
  'audience-sync': {
    about:
      'The duration of a full sync of an audience with a million profiles, and its effect on the service. The first sync evaluates all profiles and announces every member. The check evaluates them again later and finds no differences. Events arrive at a steady rate. Each ratio compares their deliveries during a sync with the deliveries in the same time without one.',
    limit:
      'A reader thread loads every profile with its traits, facts and results, and the main thread evaluates it. Loading, and passing profiles between threads, take most of the time. The writer thread only stores changes.',
  },
  'audience-latency': {
    about:
      'The time from a call to the identify call that announces to the receiver that the user entered an audience.',
    limit: 'New events are collected for a fifth of a second, because each pass needs a write.',
  },
  'audience-throughput': {
    about:
      'Events per second from call to receiver with 50 audiences, compared with none, and with 50 audiences that count other events. The three services run at the same time and get load in turns. The processor time is the total of all threads until every event is evaluated.',
    limit:
      'Every event is read again from the log, updates its profile, and causes an evaluation of its user. This uses a reader thread and the writer thread, and little of the main thread.',
  },
  'client-rate': {
    about:
      '`track()` calls that the client library enqueues per second on one core, compared with `@segment/analytics-node`, while no server responds.',
  },
  'client-memory': {
    about: "Bytes of JSON in the client's queue for each byte of memory.",
  },
  'client-go-rate': {
    about:
      '`Track` calls that the Go client library serialises per second on one core, compared with the two common versions of analytics-go, while no server responds. All libraries use their default settings. A call counts when it is serialised: `clients/go` does so in the call, analytics-go in the background for 250 calls at once.',
    limit:
      'Half of the time is `encoding/json`, which uses reflection and sorts the keys of maps. Because a call is serialised immediately, later changes to its maps have no effect, and its size is known. Version 2 of analytics-go modifies the struct of the caller and serialises it later, with any changes made in the meantime.',
  },
  'client-go-memory': {
    about:
      'Bytes of JSON in the queue of the Go client library for each byte of memory, compared with analytics-go. The heap is measured after garbage collections.',
    limit:
      'Each queued call is a separate allocation with a tenth of spare bytes, and a slice header of 24 bytes. Version 2 of analytics-go keeps the body of each request: one allocation for 250 calls, with the name of the library only once. It has no size limit: up to a thousand requests can be in progress before a call blocks.',
  },
}
