import type { Command } from 'commander'
import { apiOf, withApiOptions } from '../../api/api-options.ts'
import { idOf } from '../../api/find-id.ts'
import type { Session } from '../../api/generated/management-client.ts'
import { type ListPart, listPart } from '../../api/list-items.ts'
import { withListOptions } from '../../options/list-options.ts'
import { showList } from '../../output/list.ts'
import { outputOf } from '../../output/output.ts'
import type { Column } from '../../output/table.ts'

/** `hookline sessions …` */
export function addSessions(program: Command): void {
  const sessions = program.command('sessions').description('browsers that are signed in')

  withListOptions(withApiOptions(sessions.command('list')))
    .description('list the browsers that are signed in')
    .action(async (part: ListPart, command: Command) => {
      showList(outputOf(command), COLUMNS, await listPart(apiOf(command).listSessions, part), NONE)
    })

  withApiOptions(sessions.command('end <id>'))
    .description('sign a browser out; requests with the session are refused from now on')
    .action(async (given: string, _options: unknown, command: Command) => {
      const api = apiOf(command)
      const id = await idOf(api, 'session', given)
      await api.removeSession(id)
      outputOf(command).data({ id, ended: true }, () => `Ended ${id}.`)
    })
}

const NONE = 'No browser is signed in.'

const COLUMNS: readonly Column<Session>[] = [
  { head: 'id', cell: ({ id }) => id },
  { head: 'who', cell: ({ name }) => name, long: 'cut' },
  { head: 'role', cell: ({ role }) => role },
  { head: 'expires', cell: ({ expiresAt }) => expiresAt ?? 'never', isTime: true },
  { head: 'last used', cell: ({ lastUsedAt }) => lastUsedAt ?? 'never', isTime: true },
  { head: 'ends with', cell: ({ openedBy }) => openedBy, rank: 1 },
]
