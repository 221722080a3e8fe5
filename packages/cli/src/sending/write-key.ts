import { findAdminToken, type TokenOptions } from '../api/admin-token.ts'
import { listItems } from '../api/list-items.ts'
import { managementApi } from '../api/management-api.ts'
import { Failure } from '../failure.ts'

/**
 * Uses --write-key, HOOKLINE_WRITE_KEY, or the write key of the only enabled source.
 * @throws {Failure} `usage` unless exactly one enabled source has a write key
 */
export async function findWriteKey(
  options: TokenOptions & { readonly writeKey?: string },
): Promise<string> {
  const writeKey = options.writeKey ?? process.env['HOOKLINE_WRITE_KEY']
  if (writeKey !== undefined) return writeKey
  const api = managementApi(options.url, findAdminToken(options))
  const sources = (await listItems(api.listSources)).filter(
    ({ enabled, writeKeys }) => enabled && writeKeys.length > 0,
  )
  const [only] = sources
  if (only !== undefined && sources.length === 1) return only.writeKeys[0]!.key
  throw only === undefined
    ? new Failure('usage', 'Cannot choose a write key: no enabled source has one.', {
        hint: 'Create a source with `hookline sources create <name>`.',
      })
    : new Failure(
        'usage',
        `Cannot choose a write key: ${sources.length} enabled sources have one.`,
        {
          hint: 'Pass a write key with --write-key or HOOKLINE_WRITE_KEY. `hookline sources list` shows the keys.',
        },
      )
}
