import type { Command } from 'commander'
import { apiOf, withApiOptions } from '../../api/api-options.ts'
import { idOf } from '../../api/find-id.ts'
import type { Replay } from '../../api/generated/management-client.ts'
import { type ListPart, listPart } from '../../api/list-items.ts'
import { destinationNames, nameColumns, type Names } from '../../output/names.ts'
import { outputOf } from '../../output/output.ts'
import type { Column } from '../../output/table.ts'
import { showItem, showList } from '../../output/list.ts'
import { withLongListOptions } from '../../options/list-options.ts'

/** `hookline replays …` */
export function addReplays(program: Command): void {
  const replays = program.command('replays').description('replays and their progress')

  withLongListOptions(withApiOptions(replays.command('list')))
    .description('list replays, newest first')
    .action(async (part: ListPart, command: Command) => {
      const api = apiOf(command)
      const output = outputOf(command)
      const page = await listPart(api.listReplays, part)
      const names = await destinationNames(api, output)
      const columns = columnsFor(page.data, names)
      showList(output, columns, page, 'No replays. `hookline replay` starts one.')
    })

  withApiOptions(replays.command('get <id>'))
    .description('show a replay with the number of its delivered and failed deliveries')
    .action(async (id: string, _options: unknown, command: Command) => {
      const api = apiOf(command)
      await show(command, await api.getReplay(await idOf(api, 'replay', id)))
    })

  withApiOptions(replays.command('cancel <id>'))
    .description('cancel a replay; deliveries that are already queued again are still sent')
    .action(async (id: string, _options: unknown, command: Command) => {
      const api = apiOf(command)
      await show(command, await api.cancelReplay(await idOf(api, 'replay', id), {}))
    })
}

async function show(command: Command, replay: Replay): Promise<void> {
  const output = outputOf(command)
  const names = await destinationNames(apiOf(command), output)
  showItem(output, columnsFor([replay], names), replay)
}

function columnsFor(items: readonly Replay[], names: Names): Column<Replay>[] {
  return [
    { head: 'id', cell: ({ id }) => id },
    { head: 'state', cell: ({ state }) => state },
    ...nameColumns('destination', ({ destinationId }: Replay) => destinationId, { names, items }),
    { head: 'queued again', cell: ({ requeued }) => `${requeued}`, rank: 2 },
    { head: 'delivered', cell: ({ delivered }) => `${delivered}` },
    { head: 'failed', cell: ({ failed }) => `${failed}` },
    { head: 'created', cell: ({ createdAt }) => createdAt, isTime: true, rank: 1 },
  ]
}
