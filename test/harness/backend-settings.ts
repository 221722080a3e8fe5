import type { SettingName } from '@hookline/server'
import { newClusterPlace } from '../../packages/server/test/harness/cluster/cluster-servers.ts'
import { SecretBox } from '../../packages/server/src/util/secrets/secret-box.ts'

/** The settings of the backend that the tests run on, with a place that nothing else uses: `HOOKLINE_TEST_BACKEND` names it. */
export async function backendSettings(): Promise<{ readonly [S in SettingName]?: string }> {
  if (process.env['HOOKLINE_TEST_BACKEND'] !== 'cluster') return {}
  const place = await newClusterPlace()
  return { backend: 'cluster', encryptionKey: SecretBox.newKey(), ...place }
}
