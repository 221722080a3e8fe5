import { type Command, Option } from 'commander'
import { apiOf, withApiOptions } from '../../api/api-options.ts'
import type { Token } from '../../api/generated/management-client.ts'
import { listItems } from '../../api/list-items.ts'
import { definedFields } from '../../api/management-api.ts'
import { outputOf } from '../../output/output.ts'
import { showList } from '../../output/table.ts'

interface CreateOptions {
  readonly role: Token['role']
  readonly expires?: string
}

/** `hookline tokens …` */
export function addTokens(program: Command): void {
  const tokens = program.command('tokens').description('access tokens for the management API')

  withApiOptions(tokens.command('list'))
    .description('list all tokens, without the secrets themselves')
    .action(async (_options: unknown, command: Command) => {
      showList(outputOf(command), COLUMNS, await listItems(apiOf(command).listTokens), NONE)
    })

  withApiOptions(tokens.command('create <name>'))
    .description('create a token; it is shown only once')
    .addOption(
      new Option(
        '--role <role>',
        'a viewer reads, an editor also changes things, an admin may do everything',
      )
        .choices(['viewer', 'editor', 'admin'])
        .makeOptionMandatory(),
    )
    .option('--expires <time>', 'when it expires, in ISO 8601; by default never')
    .action(async (name: string, { role, expires }: CreateOptions, command: Command) => {
      const body = definedFields({ name, role, expiresAt: expires })
      const created = await apiOf(command).createToken(body)
      outputOf(command).data(
        created,
        () => `${created.token}\nStore it now: it is not shown again. Its id is ${created.id}.`,
      )
    })

  withApiOptions(tokens.command('delete <id>'))
    .description('delete a token; requests with it are refused from now on')
    .action(async (id: string, _options: unknown, command: Command) => {
      await apiOf(command).removeToken(id)
      outputOf(command).data({ id, deleted: true }, () => `Deleted ${id}.`)
    })
}

const NONE =
  'No tokens besides the admin token. Create one with `hookline tokens create <name> --role viewer`.'

const COLUMNS = [
  { head: 'id', cell: ({ id }: Token) => id },
  { head: 'name', cell: ({ name }: Token) => name },
  { head: 'role', cell: ({ role }: Token) => role },
  { head: 'expires', cell: ({ expiresAt }: Token) => expiresAt ?? 'never' },
  { head: 'last used', cell: ({ lastUsedAt }: Token) => lastUsedAt ?? 'never' },
]
