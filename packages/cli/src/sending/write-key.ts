import { Failure } from '../failure.ts'
import { findAdminToken, type TokenOptions } from '../api/admin-token.ts'
import { listItems } from '../api/list-items.ts'
import { managementApi } from '../api/management-api.ts'

/** The write key of the service's only enabled source. @throws {Failure} where the choice is the user's */
export async function findWriteKey(options: TokenOptions): Promise<string> {
  const api = managementApi(options.url, findAdminToken(options))
  const sources = (await listItems(api.listSources)).filter(
    ({ enabled, writeKeys }) => enabled && writeKeys.length > 0,
  )
  const [only] = sources
  if (only !== undefined && sources.length === 1) return only.writeKeys[0]!.key
  throw only === undefined
    ? new Failure('usage', 'No enabled source has a write key.', {
        hint: 'Make a source with `hookline sources create <name>`.',
      })
    : new Failure('usage', `There are ${sources.length} sources: say which one sends.`, {
        hint: 'Give --write-key or HOOKLINE_WRITE_KEY; `hookline sources list` shows the keys.',
      })
}
