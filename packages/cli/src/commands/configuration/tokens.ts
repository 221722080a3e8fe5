import { type Command, Option } from 'commander'
import { apiOf, withApiOptions } from '../../api/api-command.ts'
import { outputOf } from '../../output/output-of.ts'
import { table } from '../../output/table.ts'

interface TokenShown {
  readonly id: string
  readonly name: string
  readonly role: string
  readonly expiresAt: string | null
  readonly lastUsedAt: string | null
}

interface CreateOptions {
  readonly role: string
  readonly expires?: string
}

/** `hookline tokens …` */
export function addTokens(program: Command): void {
  const tokens = program.command('tokens').description('tokens of the management API')

  withApiOptions(tokens.command('list'))
    .description('list all tokens; none is shown itself')
    .action(async (_options: unknown, command: Command) => {
      const data = await apiOf(command).list<TokenShown>('tokens')
      const output = outputOf(command)
      output.data({ data }, () =>
        data.length === 0
          ? 'No tokens but the admin token. Make one with `hookline tokens create <name> --role viewer`.'
          : table(output, COLUMNS, data),
      )
    })

  withApiOptions(tokens.command('create <name>'))
    .description('make a token; it is shown this once')
    .addOption(
      new Option('--role <role>', 'viewers read, editors change things, admins do everything')
        .choices(['viewer', 'editor', 'admin'])
        .makeOptionMandatory(),
    )
    .option('--expires <time>', 'when it expires, in ISO 8601; else never')
    .action(async (name: string, { role, expires }: CreateOptions, command: Command) => {
      const body = { name, role, expiresAt: expires }
      const made = await apiOf(command).post<TokenShown & { token: string }>('tokens', body)
      outputOf(command).data(
        made,
        () => `${made.token}\nIt cannot be shown again. Its id is ${made.id}.`,
      )
    })

  withApiOptions(tokens.command('delete <id>'))
    .description('remove a token; requests with it are refused from now on')
    .action(async (id: string, _options: unknown, command: Command) => {
      await apiOf(command).delete(`tokens/${encodeURIComponent(id)}`)
      outputOf(command).data({ id, deleted: true }, () => `Deleted ${id}.`)
    })
}

const COLUMNS = [
  { head: 'id', cell: ({ id }: TokenShown) => id },
  { head: 'name', cell: ({ name }: TokenShown) => name },
  { head: 'role', cell: ({ role }: TokenShown) => role },
  { head: 'expires', cell: ({ expiresAt }: TokenShown) => expiresAt ?? 'never' },
  { head: 'last used', cell: ({ lastUsedAt }: TokenShown) => lastUsedAt ?? 'never' },
]
