import { type Command, Option } from 'commander'
import { apiOf, withApiOptions } from '../../api/api-options.ts'
import { optionalIdOf } from '../../api/find-id.ts'
import { definedFields, type ManagementApi } from '../../api/management-api.ts'
import { requireKnown } from '../../api/require-known.ts'
import { grouped } from '../../output/figures.ts'
import { type Output, outputOf } from '../../output/output.ts'
import { PAST_TIME, pastTime } from '../../options/time-options.ts'
import { destinationNames, sourceNames } from '../../output/names.ts'
import { SERIES_OF, type SeriesOf, seriesText } from '../../output/series-text.ts'
import { type Column, table } from '../../output/table.ts'

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
Without --from, it shows the last 60 steps. Steps below an hour are kept for 7
days, longer steps for 400 days. A delivery counts as failed when it has ended
without success, not for each attempt; retried are attempts that failed and are
made again. Pending is counted at the end of each minute. Latency is from
receipt to delivery.`

const past = (text: string) => pastTime(text)

/** `hookline stats` */
export function addStats(program: Command): void {
  withApiOptions(program.command('stats'))
    .description('show what was received, refused, delivered and failed over time')
    .addOption(new Option('--step <step>', 'time of one line').choices(STEPS).default('1m'))
    .option('--from <time>', `from this time on: ${PAST_TIME}`, past)
    .option('--to <time>', `before this time: ${PAST_TIME}; the default is now`, past)
    .option('--source <id>', 'only this source')
    .option('--destination <id>', 'only this destination, and what its source received')
    .addOption(
      new Option('--by <what>', 'one line for each destination or source').choices(SERIES_OF),
    )
    .addHelpText('after', HELP)
    .action(async ({ step, from, to, source, destination, by }: StatsOptions, command: Command) => {
      const api = apiOf(command)
      const ids = {
        sourceId: await optionalIdOf(api, 'source', source),
        destinationId: await optionalIdOf(api, 'destination', destination),
      }
      const found = await api.getStatistics(definedFields({ step, $from: from, to, ...ids, by }))
      const shown = found.points.filter(isBusy)
      if (shown.length === 0) await requireKnown(api, ids)
      const output = outputOf(command)
      const names = by === undefined ? new Map<string, string>() : await NAMES[by](api, output)
      output.data(found, () =>
        by === undefined
          ? statisticsText(output, found, shown)
          : seriesText(output, found, { by, names }),
      )
    })
}

/** The lines in which something happened, and their sum. */
function statisticsText(output: Output, { from, to }: Statistics, shown: readonly Point[]): string {
  if (shown.length === 0) return `Nothing happened from ${from} to ${to}.`
  const details = [
    causesText(
      'refused',
      shown.map(({ refused }) => refused),
    ),
    causesText(
      'filtered',
      shown.map(({ filtered }) => filtered),
    ),
    causesText(
      'failed',
      shown.map(({ failed }) => failed),
    ),
    causesText(
      'not linked',
      shown.map(({ unlinked }) => unlinked),
    ),
  ].filter((line) => line !== '')
  return [
    table(output, COLUMNS, shown),
    `${from} to ${to}: ${grouped(total(shown, ({ received }) => received))} received, ${grouped(total(shown, ({ delivered }) => delivered))} delivered. Steps without events are left out.`,
    ...details,
  ].join('\n')
}

function isBusy(point: Point): boolean {
  const { received, delivered, duplicates, retried, refused, filtered, failed } = point
  const { entered, left, unlinked, pending } = point
  const counts = [received, delivered, duplicates, retried, entered, left, pending ?? 0]
  return [...counts, sum(refused), sum(filtered), sum(failed), sum(unlinked)].some(
    (count) => count > 0,
  )
}

/** `failed: 3 expired, 1 rejected`; empty if there are none. */
function causesText(name: string, counts: readonly Record<string, number>[]): string {
  const causes = new Set(counts.flatMap((each) => Object.keys(each)))
  const texts = [...causes].map(
    (cause) => `${grouped(counts.reduce((all, each) => all + (each[cause] ?? 0), 0))} ${cause}`,
  )
  return texts.length === 0 ? '' : `${name}: ${texts.join(', ')}`
}

function total(points: readonly Point[], countOf: (point: Point) => number): number {
  return points.reduce((all, point) => all + countOf(point), 0)
}

function sum(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((all, count) => all + count, 0)
}

const COLUMNS: readonly Column<Point>[] = [
  { head: 'at', cell: ({ at }: Point) => at },
  { head: 'received', cell: ({ received }: Point) => grouped(received) },
  { head: 'refused', cell: ({ refused }: Point) => grouped(sum(refused)), rank: 2 },
  { head: 'duplicates', cell: ({ duplicates }: Point) => grouped(duplicates), rank: 4 },
  { head: 'filtered', cell: ({ filtered }: Point) => grouped(sum(filtered)), rank: 3 },
  { head: 'delivered', cell: ({ delivered }: Point) => grouped(delivered) },
  { head: 'retried', cell: ({ retried }: Point) => grouped(retried), rank: 5 },
  { head: 'failed', cell: ({ failed }: Point) => grouped(sum(failed)) },
  { head: 'pending', cell: ({ pending }: Point) => (pending === null ? '' : grouped(pending)) },
  {
    head: 'p50/p95 latency',
    cell: ({ latencyMs }: Point) =>
      latencyMs === null ? '' : `${latencyMs.p50}/${latencyMs.p95} ms`,
    rank: 1,
  },
]
