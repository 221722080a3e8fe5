import type { Command } from 'commander'
import { apiOf, withApiOptions } from '../../api/api-command.ts'
import type { Replay } from '../../api/generated/management-client.ts'
import { listItems } from '../../api/list-items.ts'
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
      const data = await listItems(apiOf(command).listReplays, limit)
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
      show(command, await apiOf(command).getReplay(id))
    })

  withApiOptions(replays.command('cancel <id>'))
    .description('end a replay; what is due already is still delivered')
    .action(async (id: string, _options: unknown, command: Command) => {
      show(command, await apiOf(command).cancelReplay(id, {}))
    })
}

function show(command: Command, replay: Replay): void {
  const output = outputOf(command)
  output.data(replay, () =>
    sheet(
      output,
      COLUMNS.map(({ head, cell }) => [head, cell(replay)]),
    ),
  )
}

const COLUMNS = [
  { head: 'id', cell: ({ id }: Replay) => id },
  { head: 'state', cell: ({ state }: Replay) => state },
  { head: 'destination', cell: ({ destinationId }: Replay) => destinationId },
  { head: 'made due', cell: ({ requeued }: Replay) => `${requeued}` },
  { head: 'delivered', cell: ({ delivered }: Replay) => `${delivered}` },
  { head: 'failed', cell: ({ failed }: Replay) => `${failed}` },
  { head: 'asked for', cell: ({ createdAt }: Replay) => createdAt },
]
