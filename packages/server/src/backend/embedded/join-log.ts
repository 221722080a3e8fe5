import { type BudgetPart, ByteBudget } from '../../util/limits/byte-budget.ts'
import { systemClock } from '../../util/time/clock.ts'
import { StoredSuppressions } from '../store/suppressions.ts'
import type { JoinedLog } from '../threads.ts'
import { type ConnectionData, connectionOf } from './joined-connection.ts'
import { Appender } from './log/appender.ts'

/** What `BackendThreads.connectToLog` gives to a thread. */
export interface JoinLogData extends ConnectionData {
  readonly maxWaitingBytes: number
  /** Of the budget of the bytes that wait for the disk. */
  readonly waiting: BudgetPart
}

/** Joins the log of the backend that the main thread has opened: a writer of this thread. */
export async function joinEmbeddedLog(
  { maxWaitingBytes, waiting, ...data }: JoinLogData,
  { onDamage }: { readonly onDamage: (error: Error) => void },
): Promise<JoinedLog> {
  const connection = connectionOf(data, onDamage)
  const { writer, store, catalog } = connection
  return {
    log: new Appender({ writer, waiting: new ByteBudget(maxWaitingBytes, waiting) }),
    catalog,
    suppressions: await StoredSuppressions.open(store, systemClock),
    async apply(change) {
      if (change.kind === 'catalog') catalog.apply(change.change)
      else if (change.kind === 'suppressions') {
        await store.changed(change.kind)
        // Operations take effect in their order: when this one has ended, so have all appends before it.
        await writer.run('ackEvents', { through: 0, events: 0 }).catch(() => undefined)
      }
    },
    [Symbol.asyncDispose]: () => connection[Symbol.asyncDispose](),
  }
}
