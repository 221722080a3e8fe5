import type { BenchmarkName } from '../../bench/benchmarks/benchmarks.ts'

/** What a benchmark compares, and what limits its result according to profiles. The figures are in bench/results: they change. */
interface Finding {
  readonly about: string
  readonly limit?: string
}

/** The limits that all benchmarks share. */
export const LIMITS: readonly string[] = [
  'Every event uses processor time in two threads on one or two cores, and in four from the third core on. The main thread parses, decides, signs and speaks HTTP, unless `ingestThreads` and `deliveryThreads` give this to threads of their own. The writer thread writes to SQLite. On two cores, the main thread reaches its limit first, while the writer thread is busy for a quarter to a half of the time. More threads would move its work and add the cost of the messages between them, about a quarter of what an event costs. The table `spent` has what an event costs by thread and by part, and the table `cores` which thread is full first.',
  'The other limit is the disk: each commit is an fsync. An event is sent after the commit that accepts it. Its place in the lane is free after the commit that records its delivery. All events that arrive during a commit share the next one. So on a slow disk, commits are larger, but throughput stays the same. This requires that enough events are in progress: enough sending connections, and a `laneWindow` that is large enough.',
]

export const FINDINGS: Readonly<Record<BenchmarkName, Finding>> = {
  'ingest-single': {
    about:
      'One call per request over 256 connections, each on disk before its 200. The peer is a bare `node:http` server that parses the JSON and responds. A call waits for the disk, so the same over 64 connections is reported too.',
    limit:
      "The bare server spends its time in Node's HTTP parser and in writes to sockets, so every further step costs much in comparison. According to the profile, Hookline spends a quarter of the time of a call on sockets and on waking other threads. Four steps take a tenth each: parsing; checking and stamping; serialising again and copying to the writer thread; the framework. The rest is hundreds of functions that take less than one per cent each. The writer thread is busy for a third of the time.",
  },
  'ingest-batch': {
    about: 'The same with batches of 20 calls, as client libraries send them.',
    limit:
      'The bare server runs one `JSON.parse` for all calls of a request. Hookline validates, stamps, serialises and writes each call, with its index entries. In the main thread, parsing takes the most time, then garbage collection and serialising. Together they take half of its time. The main thread is idle for a quarter of the time, while everything that the connections have sent waits for its commit. The writer thread is busy for less than half of the time. Inserting and committing take equal parts. The indexes by messageId and by user begin with the segment of the event ([decision 10](../decisions/0010-indexes-begin-with-the-segment.md)). So the index entries of a new event go to the few pages of the last segment. Without segments, each event changed a random page of each index.',
  },
  delivery: {
    about:
      'From the log through decision, signature and request to a receiver in another process, with a record of each delivery. The peer is a bare loop of undici requests with the same bodies, signatures and concurrency. The loop stores nothing. Events are appended, on disk, as fast as they are delivered.',
    limit:
      'The main thread does the work of the bare loop, and also appends, decides and records. Load, receiver and Hookline share the two cores, so what an event costs in all threads decides. [`delivery-steps`](#delivery-steps) shows what each part adds: the log on disk as much as the whole bare loop, the records of deliveries two thirds of that, and everything else (decisions, lanes, retries, guards, health, metrics) as much as the bare loop again. With the log alone, an event costs twice what it costs in the bare loop, so no share of the rest could bring the ratio to the goal.',
  },
  'delivery-peers': {
    about:
      'The same stream of events, compared with two programs written by hand: one with BullMQ on Redis, one with pg-boss on PostgreSQL. Bodies, signatures, concurrency and receiver are the same ([bench/programs](../../bench/programs)). The durability of each is stated below the table. With appendonly off, Redis loses its queue when it is killed.',
    limit:
      'BullMQ calls Redis once for each finished job, and keeps no history. The pg-boss program inserts, fetches and completes many jobs in one statement, so jobs share a commit as events do in Hookline. The documented `work()` of pg-boss, with the same batches, was slower.',
  },
  'end-to-end': {
    about:
      'From the call to the receiver, at half of the highest rate at which single calls pass through. Calls are sent at random times, and the sender waits for no response. The time of each call starts when the call is due, so a late send counts too.',
    limit:
      'A call waits for one commit before it is sent, and then for the request itself. A late call waited for a commit that took long on disk.',
  },
  isolation: {
    about:
      'The latency and throughput of healthy webhooks beside faulty ones, at 80 % of what all can take: nine destinations beside one whose webhook never responds, and three webhooks of a destination beside one that never responds and one that takes 4 s to respond. Each run is compared with the runs before and after it, in which every webhook responds at once. The noise is the difference between those two runs. A round counts only if the machine carried the load without the fault. After each other round, the load is 20 % less.',
    limit:
      'The p99 is the length of the few longest pauses of a run: of garbage collections, of the disk, and of other processes that use the processors.',
  },
  growth: {
    about:
      'Events per second from call to receiver with a long history and many pending deliveries of the same destination, compared with an empty database. Both services run at the same time and get load in turn.',
    limit:
      'A long history costs little. The indexes by messageId and by user begin with the segment ([decision 10](../decisions/0010-indexes-begin-with-the-segment.md)), so new entries go to few pages, however long the history is. Hookline looks for a messageId in memory. That cost grows with the events of `dedupeWindow`, not with the history.',
  },
  memory: {
    about:
      'Memory of the process after the same load, with a million pending deliveries and with none. Pending deliveries are in the database. Only deliveries that are due soon are read.',
  },
  restart: {
    about:
      'From the start of the process to the first delivery of an event that was waiting, with a million pending deliveries.',
    limit:
      'The time to load the code limits it. The database only has to be opened, and an index finds the first due deliveries.',
  },
  cost: {
    about: 'What an event costs from the call to the receiver.',
    limit:
      'At a low rate, few events share a commit. That is why an event costs more at half of the rate. On disk, an event is its JSON, three index entries, and its delivery with the last attempt. Two of the index entries begin with the segment. While the event is within `dedupeWindow`, it also takes 4 bytes of a filter.',
  },
  'cost-ratio': {
    about:
      'The processor time of an event from the call to the receiver, compared with the least that it can cost: the bare server for the call, and the bare loop for the delivery.',
  },
  'one-event': {
    about:
      'How much code one `track` call runs on its way to one receiver, and how many messages between threads it takes.',
  },
  'delivery-steps': {
    about:
      'The processor time of a delivered event, from the bare loop of `delivery` to Hookline in steps. The log: the events come from it, on disk, and are acked. The records: each delivery is recorded, on disk, in the same tables. What Hookline adds to these two: decisions, lanes with their order, limits, breakers and retries, deadlines and guards of the HTTP client, health, metrics and activity.',
  },
  cores: {
    about:
      'Throughput with 0, 1, 2, … threads for ingestion and for delivery, and the share of a core that the busiest thread of each kind uses. The service has cores of its own, as far as the machine allows. So the shares show what limits it next. The last table is an estimate, no measurement: what a service can reach on more cores, if an event costs what it costs here. It leaves out the load, the receiver, the disk, and whatever more cores share.',
  },
  spent: {
    about:
      'What each microsecond of an event is spent on, before Hookline had threads for ingestion and delivery, and now. The time of a room of our code, such as `delivery/lanes`, is that of its own functions. What they call counts for what they call. Each row is a median of its own, so the rows add up only about to the whole. The program of `delivery` also makes the events and appends them.',
  },
  scaling: {
    about:
      'How throughput changes with the number of destinations of an event, the size of a call, and the backlog.',
  },
  cluster: {
    about:
      'Ingestion, and the way from the call to the receiver, through 1, 2 and 3 nodes of a [cluster](../guides/cluster.md) with NATS and PostgreSQL on the same machine, compared with the embedded backend. A call counts when it is archived: NATS alone accepts calls faster. “One at a time” is the time in which PostgreSQL archives an event while no other node can archive; with several nodes, it includes their waits for each other.',
    limit:
      'According to profiles of one node, Hookline takes two thirds of the processor time of an event, PostgreSQL a quarter, and NATS a tenth. Hookline does what it does with one process, and encodes messages and the parameters of statements. In PostgreSQL, half is the archive: a row and its entries in seven indexes, after five look-ups. A third is the record of the delivery: a row, and its entries in four indexes. The rest is commits. Plans were a fifth of it before the statements of usual events and deliveries became functions whose plans are kept, and a fifth of the look-ups were in empty partitions of days to come. A second node on the same two cores brings work that one node has not: each archives and records smaller batches, and waits while the other one archives.',
  },
  'audience-sync': {
    about:
      'What a full sync of an audience takes with a million profiles, and what it does to the service meanwhile. The first sync evaluates all profiles and tells every member. The check does the same later and finds that nothing differs. Events arrive at a steady rate. Each ratio compares the deliveries of this load during a sync with those of the same time without one.',
    limit:
      'A reader thread loads every profile with its traits, facts and results, and the main thread evaluates it. Most of the time is spent on loading, and on passing profiles from thread to thread. The writer thread stores only what changed.',
  },
  'audience-latency': {
    about:
      'The time from a call to the identify call that tells the receiver that its user has entered an audience.',
    limit:
      'New events are collected for a fifth of a second, because each pass costs a write, however few events it has.',
  },
  'audience-throughput': {
    about:
      'Events per second from call to receiver with 50 audiences, compared with none, and with 50 audiences that count other events. The three services run at the same time and get load in turn. CPU is that of all threads until every event is evaluated.',
    limit:
      'Every event is read again from the log, changes its profile, and makes its user be evaluated. This takes processor time of a reader thread and of the writer thread, and little of the main thread.',
  },
  'client-rate': {
    about:
      '`track()` calls that the client library enqueues per second on one core, compared with `@segment/analytics-node`, while no server responds.',
  },
  'client-memory': {
    about: "Bytes of JSON in the client's queue for each byte of memory that they take.",
  },
  'client-go-rate': {
    about:
      '`Track` calls of the client library in Go that are made and serialised per second on one core, compared with both versions of analytics-go that are in use, while no server responds. Each library has its default settings. A call counts when its JSON is made: `clients/go` makes it in the call, analytics-go in the background, for 250 calls together.',
    limit:
      'Half of a call is `encoding/json`, which writes the call by reflection and sorts the keys of its maps. The JSON of a call, made in the call, is what makes later changes to the maps harmless and tells the size at once. Version 2 of analytics-go does neither: it writes into the struct of the program, and encodes it later, whatever it has become.',
  },
  'client-go-memory': {
    about:
      'Bytes of JSON in the queue of the client library in Go for each byte of memory that they take, compared with analytics-go. The heap is measured after garbage collections.',
    limit:
      'Each queued call is an allocation of its own, with a tenth of spare bytes, and 24 bytes that point to it. Version 2 of analytics-go keeps the body of each request: one allocation for 250 calls, with the name of the library once. It has no bound: a thousand requests may be in progress, and then a call waits.',
  },
}
