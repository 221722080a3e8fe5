import { idsOf } from '../../api/find-id.ts'
import { definedFields, type ManagementApi } from '../../api/management-api.ts'
import { Failure } from '../../failure.ts'
import { confirm } from '../../options/confirmation.ts'
import { shortList } from '../../output/figures.ts'
import type { ApiCommand } from '../api-command.ts'

interface DeleteOptions {
  readonly anonymousId?: string[]
  readonly source?: string[] | undefined
  readonly suppress?: true
}

export function addDeleteUser(program: ApiCommand): void {
  program
    .api('delete-user [userIds...]', 'delete all data about one or more users')
    .confirmed()
    .option('--anonymous-id <ids...>', 'delete all events with these anonymousIds')
    .option('--source <ids...>', 'only data from these sources (default: all)')
    .option('--suppress', 'also drop future events from these users')
    .run(async (context, userIds: string[], options: DeleteOptions) => {
      const { anonymousId: anonymousIds, source, suppress } = options
      if (userIds.length === 0 && anonymousIds === undefined)
        throw new Failure('usage', 'Pass userIds, or anonymousIds with --anonymous-id.')
      const { api, output, command } = context
      const sourceIds = source && (await idsOf(api, 'source', source))
      const linked = await linkedTo(api, userIds)
      await confirm(command, () =>
        [effectOf(userIds, { ...options, source: sourceIds }), ...linked].join(' '),
      )
      const users = userIds.length === 0 ? undefined : userIds
      const body = definedFields({ userIds: users, anonymousIds, sourceIds, suppress })
      const deletion = await api.createDeletion(body)
      const { id, state } = deletion
      output.data(
        deletion,
        () => `Deletion ${id} is ${state}. \`hookline deletions get ${id}\` shows its progress.`,
      )
    })
}

const MAX_LOOKUPS = 20

/** Describes the anonymousIds that are unlinked, and the aliased users who are not deleted. */
async function linkedTo(api: ManagementApi, userIds: readonly string[]): Promise<string[]> {
  const spaces = [...new Set((await api.listSources({})).data.map(({ space }) => space))]
  const profiles = await Promise.all(
    userIds.slice(0, MAX_LOOKUPS).flatMap((userId) =>
      spaces.map((space) =>
        api.findProfile(userId, { space }).catch((error: unknown) => {
          if (error instanceof Failure && error.meaning === 'not found') return undefined
          throw error
        }),
      ),
    ),
  )
  // Omits the former id of an alias, which may be a userId.
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
      : [
          `Anonymous ids linked to these users are also removed from profiles: ${shortList(devices.map(({ id }) => id))}.`,
        ]),
    ...(staying.length === 0
      ? []
      : [`Aliased users who will not be deleted: ${shortList(staying)}.`]),
    ...(userIds.length > MAX_LOOKUPS
      ? [`Only the first ${MAX_LOOKUPS} users were checked for linked ids.`]
      : []),
  ]
}

function effectOf(userIds: readonly string[], options: DeleteOptions): string {
  const { anonymousId = [], source, suppress } = options
  const users = [
    ...userIds.map((id) => JSON.stringify(id)),
    ...anonymousId.map((id) => `anonymousId ${JSON.stringify(id)}`),
  ]
  const count = users.length === 1 ? 'this user' : `these ${users.length} users`
  const sources = source === undefined ? 'all sources' : source.join(', ')
  const destination = source === undefined ? 'destination' : 'destination of these sources'
  const effect = `This permanently deletes all events and profiles of ${count} in ${sources}: ${shortList(users)}. Each enabled ${destination}, except alert channels, gets a deletion notice.`
  return suppress ? `${effect} Future events will be dropped.` : effect
}
