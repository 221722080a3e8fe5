import type { ProfileId } from '../../profiles.ts'
import type { Connection } from '../postgres/postgres.ts'
import { forgetUsers } from './forget-users.ts'
import { removeProfiles } from './remove-profiles.ts'

/** What a purge removes of profiles, as part of its transaction. Slices that were read before are refused from then on. */
export const profileRemoval = {
  /**
   * Removes users in the spaces of these sources; `null`: in every space. They go with their profiles, with what was announced
   * of them and of the other users of those, and with their places on lists.
   */
  async removeUsers(
    transaction: Connection,
    userIds: readonly string[],
    sourceIds: readonly string[] | null,
  ): Promise<void> {
    const ids = userIds.map((id) => ({ kind: 'user' as const, id }))
    const { spaces, users } = await removeProfiles(transaction, { ids, sourceIds })
    const named = spaces.flatMap((space) => userIds.map((id) => ({ space, id })))
    await forgetUsers(transaction, [...named, ...users])
  },

  /** Removes the profiles that have one of these ids, and nothing else. */
  async removeProfiles(
    transaction: Connection,
    ids: readonly ProfileId[],
    sourceIds: readonly string[] | null,
  ): Promise<void> {
    await removeProfiles(transaction, { ids, sourceIds })
  },
}
