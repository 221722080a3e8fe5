import { ManagementApi } from '../service/management-api.ts'
import { newDestination, newSource } from '../service/new-source.ts'

const ADMIN_TOKEN = 'tok_client_test'

/** Settings of a service that is killed while a client library sends to it. */
export const SETTINGS = {
  HOOKLINE_ADMIN_TOKEN: ADMIN_TOKEN,
  HOOKLINE_ALLOWED_NETWORKS: '127.0.0.0/8',
  HOOKLINE_RETRY_SCHEDULE: '50,100,200,400',
  HOOKLINE_LOG_LEVEL: 'error',
}

/** Creates a source whose events go to this webhook. Resolves with its write key. */
export async function writeKeyOf(serviceUrl: string, webhookUrl: string): Promise<string> {
  const api = new ManagementApi(serviceUrl, ADMIN_TOKEN)
  const { id, writeKey } = await newSource(api)
  await newDestination(api, id, webhookUrl)
  return writeKey
}
