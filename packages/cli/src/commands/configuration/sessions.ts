import type { Session } from '../../api/generated/management-client.ts'
import { type ListPart, listPart } from '../../api/list-items.ts'
import { showList } from '../../output/list.ts'
import type { Column } from '../../output/table.ts'
import type { ApiCommand } from '../api-command.ts'

export function addSessions(program: ApiCommand): void {
  const sessions = program.command('sessions').description('list and end console sessions')

  sessions
    .api('list', 'list all sessions')
    .paged('short')
    .run(async ({ api, output }, part: ListPart) =>
      showList(output, COLUMNS, await listPart(api.listSessions, part), 'No sessions.'),
    )

  sessions
    .api('end <id>', 'end a session and sign its browser out')
    .runOn('session', async ({ api, output }, id) => {
      await api.removeSession(id)
      output.data({ id, ended: true }, () => `Ended ${id}.`)
    })
}

const COLUMNS: readonly Column<Session>[] = [
  { head: 'id', cell: ({ id }) => id },
  { head: 'user', cell: ({ name }) => name, long: 'cut' },
  { head: 'role', cell: ({ role }) => role },
  { head: 'expires', cell: ({ expiresAt }) => expiresAt ?? 'never', isTime: true },
  { head: 'last used', cell: ({ lastUsedAt }) => lastUsedAt ?? 'never', isTime: true },
  { head: 'opened by', cell: ({ openedBy }) => openedBy, rank: 1 },
]
