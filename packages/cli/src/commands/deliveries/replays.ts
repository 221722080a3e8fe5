import type { Command } from 'commander'
import { apiOf, withApiOptions } from '../../api/api-command.ts'
import type { ReplayShown } from '../../api/resources.ts'
import { outputOf } from '../../output/output-of.ts'
import { sheet, table } from '../../output/table.ts'
import { limitOption } from '../../options/count-option.ts'

/** `hookline replays …` */
export function addReplays(program: Command): void {
  const replays = program.command('replays').description('how far replays are')

  withApiOptions(replays.command('list'))
    .description('list replays, newest first')
    .addOption(limitOption())
    .action(async ({ limit }: { limit: number }, command: Command) => {
      const data = await apiOf(command).first<ReplayShown>('replays', {}, limit)
      const output = outputOf(command)
      output.data({ data }, () =>
        data.length === 0
          ? 'No replays. `hookline replay` makes one.'
          : table(output, COLUMNS, data),
      )
    })

  withApiOptions(replays.command('get <id>'))
    .description('show a replay and how its deliveries ended')
    .action(async (id: string, _options: unknown, command: Command) => {
      show(command, await apiOf(command).get<ReplayShown>(pathOf(id)))
    })

  withApiOptions(replays.command('cancel <id>'))
    .description('end a replay; what is due already is still delivered')
    .action(async (id: string, _options: unknown, command: Command) => {
      show(command, await apiOf(command).post<ReplayShown>(`${pathOf(id)}/cancel`, {}))
    })
}

function pathOf(id: string): string {
  return `replays/${encodeURIComponent(id)}`
}

function show(command: Command, replay: ReplayShown): void {
  const output = outputOf(command)
  output.data(replay, () =>
    sheet(
      output,
      COLUMNS.map(({ head, cell }) => [head, cell(replay)]),
    ),
  )
}

const COLUMNS = [
  { head: 'id', cell: ({ id }: ReplayShown) => id },
  { head: 'state', cell: ({ state }: ReplayShown) => state },
  { head: 'destination', cell: ({ destinationId }: ReplayShown) => destinationId },
  { head: 'made due', cell: ({ requeued }: ReplayShown) => `${requeued}` },
  { head: 'delivered', cell: ({ delivered }: ReplayShown) => `${delivered}` },
  { head: 'failed', cell: ({ failed }: ReplayShown) => `${failed}` },
  { head: 'asked for', cell: ({ createdAt }: ReplayShown) => createdAt },
]
