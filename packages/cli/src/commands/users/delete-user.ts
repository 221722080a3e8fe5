import type { Command } from 'commander'
import { apiOf, withApiOptions } from '../../api/api-options.ts'
import { idsOf } from '../../api/find-id.ts'
import { definedFields, type ManagementApi } from '../../api/management-api.ts'
import { Failure } from '../../failure.ts'
import { confirm, withYesOption } from '../../options/confirmation.ts'
import { shortList } from '../../output/figures.ts'
import { outputOf } from '../../output/output.ts'

interface DeleteOptions {
  readonly anonymousId?: string[]
  readonly source?: string[] | undefined
  readonly suppress?: true
}

/** `hookline delete-user` */
export function addDeleteUser(program: Command): void {
  withYesOption(withApiOptions(program.command('delete-user [userIds...]')))
    .description('delete all data of users, and send deletion notices to the webhooks')
    .option('--anonymous-id <ids...>', 'delete all events with these anonymousIds')
    .option('--source <ids...>', 'only from these sources; the default is all')
    .option('--suppress', 'store no new events of these users either')
    .action(async (userIds: string[], options: DeleteOptions, command: Command) => {
      const { anonymousId: anonymousIds, source, suppress } = options
      if (userIds.length === 0 && anonymousIds === undefined)
        throw new Failure('usage', 'Give userIds, or anonymousIds with --anonymous-id.')
      const api = apiOf(command)
      const sourceIds = source && (await idsOf(api, 'source', source))
      const linked = await linkedTo(api, userIds)
      await confirm(command, () =>
        [effectOf(userIds, { ...options, source: sourceIds }), ...linked].join(' '),
      )
      const users = userIds.length === 0 ? undefined : userIds
      const body = definedFields({ userIds: users, anonymousIds, sourceIds, suppress })
      const created = await api.createDeletion(body)
      outputOf(command).data(
        created,
        () =>
          `Deletion ${created.id} is ${created.state}. \`hookline deletions get ${created.id}\` shows its progress.`,
      )
    })
}

/** Users whose links are looked up before a deletion. */
const LOOKED_UP = 20

/** The anonymousIds that go with the users, and the users who stay although an alias made them one with these. */
async function linkedTo(api: ManagementApi, userIds: readonly string[]): Promise<string[]> {
  const spaces = [...new Set((await api.listSources({})).data.map(({ space }) => space))]
  const profiles = await Promise.all(
    userIds.slice(0, LOOKED_UP).flatMap((userId) =>
      spaces.map((space) =>
        api.findProfile(userId, { space }).catch((error: unknown) => {
          if (error instanceof Failure && error.meaning === 'not found') return undefined
          throw error
        }),
      ),
    ),
  )
  // Not the former id of an alias: it may be a userId.
  const devices = profiles.flatMap((profile) =>
    (profile?.links ?? []).filter(
      ({ kind, id, userId }) =>
        kind === 'anonymous' && userIds.includes(userId) && profile!.anonymousIds.includes(id),
    ),
  )
  const others = profiles.flatMap((profile) => profile?.userIds ?? [])
  const staying = [...new Set(others)].filter((id) => !userIds.includes(id))
  return [
    ...(devices.length === 0
      ? []
      : [`Their profiles lose these anonymousIds: ${shortList(devices.map(({ id }) => id))}.`]),
    ...(staying.length === 0
      ? []
      : [`An alias made them one with users who stay: ${shortList(staying)}.`]),
    ...(userIds.length > LOOKED_UP ? [`Only the first ${LOOKED_UP} users were looked up.`] : []),
  ]
}

function effectOf(userIds: readonly string[], options: DeleteOptions): string {
  const { anonymousId = [], source, suppress } = options
  const users = [
    ...userIds.map((id) => JSON.stringify(id)),
    ...anonymousId.map((id) => `anonymousId ${JSON.stringify(id)}`),
  ]
  const from = source === undefined ? 'all sources' : source.join(', ')
  return [
    `This deletes all events and profiles of ${users.length === 1 ? 'this user' : `these ${users.length} users`} in ${from}: ${shortList(users)}.`,
    'Their data cannot be restored, and the webhooks are told to delete it too.',
    ...(suppress ? ['New events of them are not stored.'] : []),
  ].join(' ')
}
