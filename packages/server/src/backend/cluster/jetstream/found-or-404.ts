import { JetStreamApiError } from '@nats-io/jetstream'

const NOT_FOUND = 404

/** What the server answers; `undefined` where it does not have it. */
export async function foundOr404<T>(find: () => Promise<T>): Promise<T | undefined> {
  try {
    return await find()
  } catch (error) {
    if (error instanceof JetStreamApiError && error.status === NOT_FOUND) return undefined
    throw error
  }
}
