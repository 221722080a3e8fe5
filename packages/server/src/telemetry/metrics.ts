import { Counter, Gauge, Histogram, type LabelValues, Registry } from 'prom-client'
import { DestinationCounts } from './destination-counts.ts'
import {
  type MetricJson,
  ThreadMetricsRegistry,
  type ThreadMetrics,
} from './thread-metrics-registry.ts'
import { collectProcessMetrics } from './process-metrics.ts'

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
const SECONDS_TO_HOURS = [...SECONDS, 60, 600, 3600, 14_400]

/** All metrics, in base units. Labels have few values: never a user id, an event name or a URL. */
export class Metrics {
  readonly registry = new Registry()
  readonly #beforeScrape: (() => void | Promise<void>)[] = []

  readonly ingestRequests = this.#counter(
    'hookline_ingest_requests_total',
    'Ingestion requests, by route and status.',
    ['route', 'code'],
  )
  readonly ingestEvents = this.#counter(
    'hookline_ingest_events_total',
    'Calls by result: accepted, suppressed (dropped because the user is suppressed), or the error code of a rejected call.',
    ['result'],
  )
  readonly refusedCalls = this.#counter(
    'hookline_refused_calls_total',
    'Refused calls, which are rejected regardless of their content, by reason: source_disabled, unknown_write_key or rate_limited.',
    ['reason'],
  )
  readonly authFailures = this.#counter(
    'hookline_auth_failures_total',
    'Requests to the management API with an invalid token, by status.',
    ['code'],
  )
  readonly ingestDuration = this.#histogram(
    'hookline_ingest_duration_seconds',
    'Time from an ingestion request to its response, including the write to disk.',
  )
  readonly partialBodies = this.#gauge(
    'hookline_partial_body_bytes',
    'Memory used by request bodies that are partially received or waiting to be parsed.',
  )
  readonly decisions = this.#tallied(
    'hookline_decisions_total',
    'Decisions of the pipeline, by reason: one for each event and destination, and one with the reason duplicate for each duplicate.',
    ['reason'],
  )
  readonly attempts = this.#tallied('hookline_attempts_total', 'Attempts, by outcome and class.', [
    'outcome',
    'class',
  ])
  readonly attemptDuration = this.#histogram(
    'hookline_attempt_duration_seconds',
    'Duration of an attempt, from the DNS lookup to the last response header.',
  )
  readonly endToEnd = this.#histogram(
    'hookline_end_to_end_seconds',
    'Time from the receipt of a call to its delivery.',
    SECONDS_TO_HOURS,
  )
  readonly deliveriesEnded = this.#tallied(
    'hookline_deliveries_ended_total',
    'Completed deliveries, by final state: delivered, declined, rejected or expired.',
    ['state'],
  )
  readonly deliveriesParked = this.#counter(
    'hookline_deliveries_parked_total',
    'How often a delivery was parked in the database for at least one webhook, to be attempted later.',
  )
  readonly accountingImbalance = this.#gauge(
    'hookline_accounting_imbalance',
    'Events and deliveries lost or counted twice between the log, the pipeline, the lanes and the database. Always 0 unless there is a bug, another program changed the database, or NATS lost acknowledged messages. See accounting.imbalance in the log.',
  )
  readonly deliveries = this.#gauge(
    'hookline_deliveries',
    'Unfinished deliveries in the database, by state: pending or held.',
    ['state'],
  )
  readonly oldestPending = this.#gauge(
    'hookline_oldest_pending_seconds',
    'Time since the oldest pending delivery in the database became due.',
  )

  /** Destinations beyond `maxDestinationsInMetrics` are summed as `other`. `destination` is an id, `webhook` a host. */
  readonly perDestination = {
    /** Join it for the names, with `* on (instance, destination) group_left (name, source)`. */
    info: this.#gauge(
      'hookline_destination_info',
      'Always 1. Its labels are the names of a destination and of its source.',
      ['destination', 'name', 'source'],
    ),
    attempts: this.#counter(
      'hookline_destination_attempts_total',
      "Delivery attempts to a destination's webhook, by outcome.",
      ['destination', 'webhook', 'outcome'],
    ),
    ended: this.#counter(
      'hookline_destination_deliveries_ended_total',
      'Deliveries of a destination that reached a final state.',
      ['destination', 'state'],
    ),
    inFlight: this.#gauge(
      'hookline_destination_inflight',
      "Attempts in flight to a destination's webhook.",
      ['destination', 'webhook'],
    ),
    waiting: this.#gauge(
      'hookline_destination_waiting',
      "Deliveries waiting for a destination's webhook, by state: pending or held.",
      ['destination', 'webhook', 'state'],
    ),
    oldest: this.#gauge(
      'hookline_destination_oldest_pending_seconds',
      'Time since the oldest event pending for the webhook was received.',
      ['destination', 'webhook'],
    ),
    next: this.#gauge(
      'hookline_destination_next_attempt_seconds',
      'Time until the next attempt to the webhook; 0 if due.',
      ['destination', 'webhook'],
    ),
    blocked: this.#gauge(
      'hookline_destination_blocked_webhooks',
      'Webhooks to which Hookline is making no attempts, except probes while a breaker is open, by reason: breaker_open, retry_after, webhook_paused, webhook_gone, url_forbidden, disabled_by_receiver, destination_paused or destination_disabled.',
      ['destination', 'webhook', 'reason'],
    ),
  }

  /** The counts behind the counters of `perDestination`. */
  readonly destinationCounts: DestinationCounts

  readonly audiences = {
    members: this.#gauge('hookline_audience_members', 'Profiles that belong to an audience.', [
      'audience',
    ]),
    changes: this.#counter(
      'hookline_audience_changes_total',
      'Changes to audiences and computed traits: entered (a profile entered an audience, or its trait was set or changed) or left (it left an audience, or its trait was removed).',
      ['change'],
    ),
    evaluation: this.#histogram(
      'hookline_audience_evaluation_seconds',
      'Time to load, evaluate and store a batch of profiles.',
    ),
    lag: this.#gauge(
      'hookline_audience_lag_seconds',
      'Time since the oldest profile change that is not yet evaluated.',
    ),
    missed: this.#counter(
      'hookline_audience_sync_missed_total',
      'Changes found by a full sync that real-time evaluation had missed. Always 0 unless there is a bug.',
    ),
  }

  readonly profiles = {
    unlinked: this.#counter(
      'hookline_profile_unlinked_ids_total',
      'Ids that arrived with a userId but were not linked to it, by reason: other_user (linked to another user), limit (too many ids), or placeholder.',
      ['reason'],
    ),
    largest: this.#gauge(
      'hookline_profile_largest_ids',
      'Number of ids in the largest profile that has gained an id since startup.',
    ),
  }
  readonly corruptions = this.#counter(
    'hookline_corruptions_total',
    'Database corruption found at startup. See corruption.found in the log.',
  )
  readonly quarantined = this.#gauge(
    'hookline_quarantined',
    'Quarantined deliveries and events: corrupted, stopped by a bug, or from an unknown source.',
  )
  readonly historyBodiesDropped = this.#counter(
    'hookline_history_bodies_dropped_total',
    'Failed attempts stored without response headers and body, because the limit for similar ones was reached.',
  )
  readonly eventsRemoved = this.#counter(
    'hookline_events_removed_total',
    'Events removed by retention.',
  )
  readonly workerFailures = this.#counter(
    'hookline_worker_failures_total',
    'Failures of background workers.',
    ['worker'],
  )
  readonly threadFailures = this.#counter(
    'hookline_thread_failures_total',
    'Failures of threads. A failed thread is restarted.',
    ['thread'],
  )
  readonly clockJumps = this.#counter(
    'hookline_clock_jumps_total',
    'Jumps of the system clock, by direction: forward or back.',
    ['direction'],
  )
  readonly clockOffset = this.#gauge(
    'hookline_clock_offset_seconds',
    'How far the system clock has moved ahead of the monotonic clock since startup. 0 unless it was set.',
  )
  readonly logLinesLost = this.#counter(
    'hookline_log_lines_lost_total',
    'Log lines lost because stderr was not writable: the disk is full, or the reader of the pipe has stopped.',
  )
  readonly problems = this.#gauge(
    'hookline_problems',
    'Number of causes of current problems, by condition and severity (see GET /problems), excluding /readyz checks.',
    ['condition', 'severity'],
  )
  readonly diskFree = this.#gauge(
    'hookline_data_disk_free_bytes',
    'Free space on the disk with the data folder. 0 in a cluster.',
  )
  readonly backupAge = this.#gauge(
    'hookline_backup_age_seconds',
    'Time since the last completed backup download; 0 before the first one.',
  )
  readonly certificateExpiry = this.#gauge(
    'hookline_client_certificate_expiry_seconds',
    'Time until the client certificate of a webhook expires; negative afterwards.',
    ['destination', 'webhook'],
  )
  readonly databaseSize = this.#gauge('hookline_database_bytes', 'Size of the database.')
  readonly inFlight = new TalliedGauge({
    name: 'hookline_inflight',
    help: 'Attempts in flight.',
    registers: [this.registry],
  })
  readonly breakersOpen = this.#gauge(
    'hookline_breaker_open',
    'Webhooks whose breaker is open or half-open.',
  )
  readonly logCommit = this.#histogram(
    'hookline_log_commit_seconds',
    'Time until an append to the log is durable.',
  )
  readonly buildInfo = this.#gauge(
    'hookline_build_info',
    'Always 1. Its labels are the version and the backend.',
    ['version', 'backend'],
  )

  readonly #restartEventLoop: (() => void) | undefined

  readonly threadMetrics: ThreadMetricsRegistry

  /** @param ofProcess whether to include process metrics: only in main */
  constructor(maxDestinations = 200, { ofProcess = true } = {}) {
    if (ofProcess) this.#restartEventLoop = collectProcessMetrics(this.registry)
    this.destinationCounts = new DestinationCounts(maxDestinations)
    this.threadMetrics = new ThreadMetricsRegistry(this.destinationCounts)
  }

  /** Calls `set`, which must be cheap, before each scrape. */
  beforeScrape(set: () => void | Promise<void>): void {
    this.#beforeScrape.push(set)
  }

  /** All metrics in the text format of Prometheus. A gauge whose `set` fails keeps its last value. */
  async scrape(): Promise<string> {
    return (await this.#readAll((registry) => registry.metrics())).join('\n')
  }

  /** Like `scrape`, as objects. */
  async read(): Promise<readonly MetricJson[]> {
    return (await this.#readAll((registry) => registry.getMetricsAsJSON())).flat()
  }

  async #readAll<T>(read: (registry: Registry) => Promise<T>): Promise<T[]> {
    await this.threadMetrics.read()
    await Promise.allSettled(this.#beforeScrape.map(async (set) => set()))
    const registries = await this.threadMetrics.registriesWith(this.registry)
    const all = await Promise.all(registries.map(read))
    this.#restartEventLoop?.()
    return all
  }

  /** The metrics that a thread sends to main. */
  async ofThisThread(): Promise<ThreadMetrics> {
    const metrics = await this.registry.getMetricsAsJSON()
    return { metrics, destinations: this.destinationCounts.take() }
  }

  #counter<Label extends string>(name: string, help: string, labelNames: Label[] = []) {
    return new Counter({ name, help, labelNames, registers: [this.registry] })
  }

  #tallied<Label extends string>(name: string, help: string, labelNames: Label[]) {
    return new TalliedCounter({ name, help, labelNames, registers: [this.registry] })
  }

  #gauge<Label extends string>(name: string, help: string, labelNames: Label[] = []) {
    return new Gauge({ name, help, labelNames, registers: [this.registry] })
  }

  #histogram(name: string, help: string, buckets = SECONDS) {
    return new Histogram({ name, help, buckets, registers: [this.registry] })
  }
}

// prom-client validates labels on each call, which is too slow for every event: these classes add up the counts until a scrape.

/** A counter with few label values. */
class TalliedCounter<Label extends string> extends Counter<Label> {
  readonly #tallies = new Map<string, { readonly labels: LabelValues<Label>; count: number }>()

  /** Like `inc`. @param key identifies the labels */
  count(key: string, labels: LabelValues<Label>, by = 1): void {
    const tally = this.#tallies.get(key)
    if (tally === undefined) this.#tallies.set(key, { labels, count: by })
    else tally.count += by
  }

  collect(): void {
    for (const tally of this.#tallies.values()) {
      this.inc(tally.labels, tally.count)
      tally.count = 0
    }
  }
}

class TalliedGauge extends Gauge {
  #value = 0

  add(by: number): void {
    this.#value += by
  }

  collect(): void {
    this.set(this.#value)
  }
}
