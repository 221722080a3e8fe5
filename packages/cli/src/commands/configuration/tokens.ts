import { Option } from 'commander'
import type { Token } from '../../api/generated/management-client.ts'
import { listItems, type ListPart, listPart } from '../../api/list-items.ts'
import { definedFields, type ManagementApi } from '../../api/management-api.ts'
import { Failure } from '../../failure.ts'
import { confirm } from '../../options/confirmation.ts'
import { futureTime } from '../../options/time-options.ts'
import { showList } from '../../output/list.ts'
import type { Column } from '../../output/table.ts'
import type { ApiCommand } from '../api-command.ts'

interface CreateOptions {
  readonly role: Token['role']
  readonly expires?: string
}

const NONE = 'No tokens. Create one with `hookline tokens create <name> --role viewer`.'

export function addTokens(program: ApiCommand): void {
  const tokens = program.command('tokens').description('manage API tokens')

  tokens
    .api('list', 'list all tokens')
    .paged('short')
    .run(async ({ api, output }, part: ListPart) =>
      showList(output, COLUMNS, await listPart(api.listTokens, part), NONE),
    )

  tokens
    .api('create <name>', 'create a token, which is shown only once')
    .addOption(
      new Option(
        '--role <role>',
        'viewer: can read; editor: can also change records; admin: can also manage tokens and data',
      )
        .choices(['viewer', 'editor', 'admin'])
        .makeOptionMandatory(),
    )
    .option(
      '--expires <time>',
      'expiry: ISO 8601, or a duration from now, like 30d (default: never)',
      (text) => futureTime(text),
    )
    .run(async ({ api, output }, name: string, { role, expires }: CreateOptions) => {
      const created = await api.createToken(definedFields({ name, role, expiresAt: expires }))
      output.data(
        created,
        () =>
          `${created.token}\nStore it now: it will not be shown again. Its id is ${created.id}.`,
      )
    })

  tokens
    .api('delete <id>', 'delete a token')
    .confirmed()
    .runOn('token', async ({ api, output, command }, id) => {
      await confirm(command, () => deletionEffect(api, id))
      await api.removeToken(id)
      output.data({ id, deleted: true }, () => `Deleted ${id}.`)
    })
}

async function deletionEffect(api: ManagementApi, id: string): Promise<string> {
  const token = (await listItems(api.listTokens)).find((each) => each.id === id)
  if (token === undefined) {
    const hint = '`hookline tokens list` lists all tokens.'
    throw new Failure('not found', 'No token has this id.', { hint })
  }
  const { name, role, lastUsedAt } = token
  const use = lastUsedAt === null ? 'It has never been used.' : `It was last used at ${lastUsedAt}.`
  return `This deletes the token ${JSON.stringify(name)} (${id}) with the ${role} role. ${use}`
}

const COLUMNS: readonly Column<Token>[] = [
  { head: 'id', cell: ({ id }) => id },
  { head: 'name', cell: ({ name }) => name, long: 'cut' },
  { head: 'role', cell: ({ role }) => role },
  { head: 'expires', cell: ({ expiresAt }) => expiresAt ?? 'never', isTime: true },
  { head: 'last used', cell: ({ lastUsedAt }) => lastUsedAt ?? 'never', isTime: true },
]
