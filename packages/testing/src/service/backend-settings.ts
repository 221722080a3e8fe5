import type { SettingName } from '@hookline/server'
import { newClusterNamespace } from '../cluster/cluster-servers.ts'
import { SecretBox } from '../../../server/src/util/secrets/secret-box.ts'
import { TESTED_BACKEND } from './tested-backend.ts'

/** The settings of the backend that the tests run on. Its data is removed with the stack. */
export async function backendSettings(
  stack: AsyncDisposableStack,
): Promise<{ readonly [S in SettingName]?: string }> {
  if (TESTED_BACKEND === 'embedded') return {}
  const { databaseUrl, natsUrl, natsPrefix } = stack.use(await newClusterNamespace())
  const encryptionKey = SecretBox.newKey()
  return { backend: 'cluster', encryptionKey, databaseUrl, natsUrl, natsPrefix }
}
