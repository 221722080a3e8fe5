import { Option } from 'commander'
import { optionalIdOf, requireKnown } from '../../api/find-id.ts'
import { definedFields, type ManagementApi } from '../../api/management-api.ts'
import { PAST_TIME, pastTime } from '../../options/time-options.ts'
import { formatCount } from '../../output/figures.ts'
import { destinationNames, sourceNames } from '../../output/names.ts'
import type { Output } from '../../output/output.ts'
import { SERIES_OF, type SeriesOf, seriesText } from '../../output/series-text.ts'
import { type Column, table } from '../../output/table.ts'
import type { ApiCommand } from '../api-command.ts'

type Statistics = Awaited<ReturnType<ManagementApi['getStatistics']>>
type Point = Statistics['points'][number]

const STEPS = ['1m', '5m', '15m', '1h', '6h', '1d'] as const

interface StatsOptions {
  readonly step: (typeof STEPS)[number]
  readonly from?: string
  readonly to?: string
  readonly source?: string
  readonly destination?: string
  readonly by?: SeriesOf
}

const NAMES = { destination: destinationNames, source: sourceNames } as const

const HELP = `
By default, stats shows the last 60 steps. Steps shorter than an hour are stored
for 7 days, all others for 400 days. "Failed" counts deliveries; "retried"
counts attempts. Pending is counted at the end of each minute. Latency is
measured from receipt to delivery.`

const past = (text: string) => pastTime(text)

export function addStats(program: ApiCommand): void {
  program
    .api('stats', 'show counts and latency over time')
    .addOption(new Option('--step <step>', 'time span of each row').choices(STEPS).default('1m'))
    .option('--from <time>', `start time: ${PAST_TIME}`, past)
    .option('--to <time>', 'end time (default: now)', past)
    .option('--source <id>', 'only statistics for this source')
    .option('--destination <id>', 'only statistics for this destination and its source')
    .addOption(
      new Option('--by <what>', 'show a row for each destination or source').choices(SERIES_OF),
    )
    .addHelpText('after', HELP)
    .run(async ({ api, output }, { step, from, to, ...options }: StatsOptions) => {
      const { source, destination, by } = options
      const ids = {
        sourceId: await optionalIdOf(api, 'source', source),
        destinationId: await optionalIdOf(api, 'destination', destination),
      }
      const stats = await api.getStatistics(definedFields({ step, $from: from, to, ...ids, by }))
      const busy = stats.points.filter(isBusy)
      if (busy.length === 0) await requireKnown(api, ids)
      const names = by === undefined ? new Map<string, string>() : await NAMES[by](api, output)
      output.data(stats, () =>
        by === undefined
          ? statisticsText(output, stats, busy)
          : seriesText(output, stats, { by, names }),
      )
    })
}

function statisticsText(output: Output, { from, to }: Statistics, shown: readonly Point[]): string {
  if (shown.length === 0) return `No activity from ${from} to ${to}.`
  const totalOf = (countOf: (point: Point) => number) => formatCount(sum(shown.map(countOf)))
  const received = totalOf((point) => point.received)
  const delivered = totalOf((point) => point.delivered)
  const causes = {
    rejected: shown.map(({ rejected }) => rejected),
    declined: shown.map(({ declined }) => declined),
    failed: shown.map(({ failed }) => failed),
    'not linked': shown.map(({ unlinked }) => unlinked),
  }
  return [
    table(output, COLUMNS, shown),
    `${from} to ${to}: ${received} received, ${delivered} delivered. Steps without activity are omitted.`,
    ...Object.entries(causes).flatMap(([name, counts]) => causesText(name, counts)),
  ].join('\n')
}

function isBusy(point: Point): boolean {
  const { received, delivered, duplicates, retried, rejected, declined, failed } = point
  const { entered, left, unlinked, pending } = point
  const causes = [rejected, declined, failed, unlinked].flatMap((each) => Object.values(each))
  const counts = [received, delivered, duplicates, retried, entered, left, pending ?? 0]
  return [...counts, ...causes].some((count) => count > 0)
}

/** `failed: 3 expired, 1 rejected` */
function causesText(name: string, counts: readonly Record<string, number>[]): string[] {
  const causes = new Set(counts.flatMap((each) => Object.keys(each)))
  const texts = [...causes].map(
    (cause) => `${formatCount(sum(counts.map((each) => each[cause] ?? 0)))} ${cause}`,
  )
  return texts.length === 0 ? [] : [`${name}: ${texts.join(', ')}`]
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0)
}

const COLUMNS: readonly Column<Point>[] = [
  { head: 'at', cell: ({ at }) => at },
  { head: 'received', cell: ({ received }) => formatCount(received) },
  { head: 'rejected', cell: ({ rejected }) => formatCount(sum(Object.values(rejected))), rank: 2 },
  { head: 'duplicates', cell: ({ duplicates }) => formatCount(duplicates), rank: 4 },
  { head: 'declined', cell: ({ declined }) => formatCount(sum(Object.values(declined))), rank: 3 },
  { head: 'delivered', cell: ({ delivered }) => formatCount(delivered) },
  { head: 'retried', cell: ({ retried }) => formatCount(retried), rank: 5 },
  { head: 'failed', cell: ({ failed }) => formatCount(sum(Object.values(failed))) },
  { head: 'pending', cell: ({ pending }) => (pending === null ? '' : formatCount(pending)) },
  {
    head: 'p50/p95 latency',
    cell: ({ latencyMs }) => (latencyMs === null ? '' : `${latencyMs.p50}/${latencyMs.p95} ms`),
    rank: 1,
  },
]
