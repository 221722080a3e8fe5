import { type Command, Option } from 'commander'
import { apiOf, withApiOptions } from '../../api/api-options.ts'
import { idOf } from '../../api/find-id.ts'
import type { Token } from '../../api/generated/management-client.ts'
import { listItems, type ListPart, listPart } from '../../api/list-items.ts'
import { definedFields, type ManagementApi } from '../../api/management-api.ts'
import { Failure } from '../../failure.ts'
import { confirm, withYesOption } from '../../options/confirmation.ts'
import { outputOf } from '../../output/output.ts'
import { futureTime } from '../../options/time-options.ts'
import { showList } from '../../output/list.ts'
import type { Column } from '../../output/table.ts'
import { withListOptions } from '../../options/list-options.ts'

interface CreateOptions {
  readonly role: Token['role']
  readonly expires?: string
}

/** `hookline tokens …` */
export function addTokens(program: Command): void {
  const tokens = program.command('tokens').description('access tokens for the management API')

  withListOptions(withApiOptions(tokens.command('list')))
    .description('list all tokens, without the secrets themselves')
    .action(async (part: ListPart, command: Command) => {
      showList(outputOf(command), COLUMNS, await listPart(apiOf(command).listTokens, part), NONE)
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
    .option(
      '--expires <time>',
      'when it expires: ISO 8601, or how long from now, like 30d; by default never',
      (text) => futureTime(text),
    )
    .action(async (name: string, { role, expires }: CreateOptions, command: Command) => {
      const body = definedFields({ name, role, expiresAt: expires })
      const created = await apiOf(command).createToken(body)
      outputOf(command).data(
        created,
        () => `${created.token}\nStore it now: it is not shown again. Its id is ${created.id}.`,
      )
    })

  withYesOption(withApiOptions(tokens.command('delete <id>')))
    .description('delete a token; requests with it are refused from now on')
    .action(async (given: string, _options: unknown, command: Command) => {
      const api = apiOf(command)
      const id = await idOf(api, 'token', given)
      await confirm(command, () => deletionEffect(api, id))
      await api.removeToken(id)
      outputOf(command).data({ id, deleted: true }, () => `Deleted ${id}.`)
    })
}

async function deletionEffect(api: ManagementApi, id: string): Promise<string> {
  const token = (await listItems(api.listTokens)).find((each) => each.id === id)
  if (token === undefined) {
    const hint = '`hookline tokens list` shows what there is.'
    throw new Failure('not found', 'No token has this id.', { hint })
  }
  const { name, role, lastUsedAt } = token
  const use = lastUsedAt === null ? 'It was never used.' : `It was last used at ${lastUsedAt}.`
  return `This deletes the token ${JSON.stringify(name)} (${id}) with the role ${role}. Requests with it are refused. ${use}`
}

const NONE =
  'No tokens besides the admin token. Create one with `hookline tokens create <name> --role viewer`.'

const COLUMNS: readonly Column<Token>[] = [
  { head: 'id', cell: ({ id }) => id },
  { head: 'name', cell: ({ name }) => name, long: 'cut' },
  { head: 'role', cell: ({ role }) => role },
  { head: 'expires', cell: ({ expiresAt }) => expiresAt ?? 'never', isTime: true },
  { head: 'last used', cell: ({ lastUsedAt }) => lastUsedAt ?? 'never', isTime: true },
]
