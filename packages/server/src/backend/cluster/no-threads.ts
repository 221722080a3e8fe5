import type { BackendThreads } from '../threads.ts'

const refuse = (): never => {
  throw new Error('A node of a cluster has no threads: start more nodes.')
}

/** No thread joins a node of a cluster: `service.ts` starts none. */
export const NO_THREADS: BackendThreads = {
  connect: async () => refuse(),
  connectToLog: refuse,
  onAppended: () => () => undefined,
  onChange: () => () => undefined,
  seeDamage: refuse,
}
