import { type Command, Option } from 'commander'
import { apiOf, withApiOptions } from '../../api/api-command.ts'
import type { Token } from '../../api/generated/management-client.ts'
import { listItems } from '../../api/list-items.ts'
import { definedFields } from '../../api/management-api.ts'
import { outputOf } from '../../output/output-of.ts'
import { table } from '../../output/table.ts'

interface CreateOptions {
  readonly role: Token['role']
  readonly expires?: string
}

/** `hookline tokens …` */
export function addTokens(program: Command): void {
  const tokens = program.command('tokens').description('tokens of the management API')

  withApiOptions(tokens.command('list'))
    .description('list all tokens; none is shown itself')
    .action(async (_options: unknown, command: Command) => {
      const data = await listItems(apiOf(command).listTokens)
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
      const body = definedFields({ name, role, expiresAt: expires })
      const made = await apiOf(command).createToken(body)
      outputOf(command).data(
        made,
        () => `${made.token}\nIt cannot be shown again. Its id is ${made.id}.`,
      )
    })

  withApiOptions(tokens.command('delete <id>'))
    .description('remove a token; requests with it are refused from now on')
    .action(async (id: string, _options: unknown, command: Command) => {
      await apiOf(command).removeToken(id)
      outputOf(command).data({ id, deleted: true }, () => `Deleted ${id}.`)
    })
}

const COLUMNS = [
  { head: 'id', cell: ({ id }: Token) => id },
  { head: 'name', cell: ({ name }: Token) => name },
  { head: 'role', cell: ({ role }: Token) => role },
  { head: 'expires', cell: ({ expiresAt }: Token) => expiresAt ?? 'never' },
  { head: 'last used', cell: ({ lastUsedAt }: Token) => lastUsedAt ?? 'never' },
]
