import type { Command } from 'commander'
import { apiOf, withApiOptions } from '../../api/api-options.ts'
import type { Replay } from '../../api/generated/management-client.ts'
import { listItems } from '../../api/list-items.ts'
import { outputOf } from '../../output/output.ts'
import { showItem, showList } from '../../output/table.ts'
import { limitOption } from '../../options/whole-number.ts'

/** `hookline replays …` */
export function addReplays(program: Command): void {
  const replays = program.command('replays').description('replays and their progress')

  withApiOptions(replays.command('list'))
    .description('list replays, newest first')
    .addOption(limitOption())
    .action(async ({ limit }: { limit: number }, command: Command) => {
      const data = await listItems(apiOf(command).listReplays, limit)
      showList(outputOf(command), COLUMNS, data, 'No replays. `hookline replay` starts one.')
    })

  withApiOptions(replays.command('get <id>'))
    .description('show a replay with the number of its delivered and failed deliveries')
    .action(async (id: string, _options: unknown, command: Command) => {
      show(command, await apiOf(command).getReplay(id))
    })

  withApiOptions(replays.command('cancel <id>'))
    .description('cancel a replay; deliveries that are already queued again are still sent')
    .action(async (id: string, _options: unknown, command: Command) => {
      show(command, await apiOf(command).cancelReplay(id, {}))
    })
}

function show(command: Command, replay: Replay): void {
  showItem(outputOf(command), COLUMNS, replay)
}

const COLUMNS = [
  { head: 'id', cell: ({ id }: Replay) => id },
  { head: 'state', cell: ({ state }: Replay) => state },
  { head: 'destination', cell: ({ destinationId }: Replay) => destinationId },
  { head: 'queued again', cell: ({ requeued }: Replay) => `${requeued}` },
  { head: 'delivered', cell: ({ delivered }: Replay) => `${delivered}` },
  { head: 'failed', cell: ({ failed }: Replay) => `${failed}` },
  { head: 'created', cell: ({ createdAt }: Replay) => createdAt },
]
