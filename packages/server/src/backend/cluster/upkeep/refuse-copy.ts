import { NoCopy } from '../../backend.ts'

/** On a cluster, `copyTo` of the backend: the state is in two places, which have tools of their own. */
export function refuseCopy(): Promise<never> {
  return Promise.reject(
    new NoCopy(
      'On a cluster, back up PostgreSQL with pg_dump, or with its continuous archiving; and the stream of NATS, which has the events ' +
        'that are not archived yet, with `nats stream backup`.',
    ),
  )
}
