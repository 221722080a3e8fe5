import { type BudgetPart, ByteBudget } from '../../util/limits/byte-budget.ts'
import type { JoinedLog } from '../threads.ts'
import { SuppressedUsers } from './deletions/suppressed-users.ts'
import { type ConnectionData, connectionOf } from './joined-connection.ts'
import { Appender } from './log/appender.ts'

/** What `BackendThreads.connectToLog` gives to a thread. */
export interface JoinLogData extends ConnectionData {
  readonly maxWaitingBytes: number
  /** Of the budget of the bytes that wait for the disk. */
  readonly waiting: BudgetPart
}

/** Joins the log of the backend that the main thread has opened: a writer of this thread. */
export function joinEmbeddedLog(
  { maxWaitingBytes, waiting, ...data }: JoinLogData,
  { onDamage }: { readonly onDamage: (error: Error) => void },
): JoinedLog {
  const { writer, reader, catalog } = connectionOf(data, onDamage)
  const suppressed = new SuppressedUsers(reader)
  reader.close()
  return {
    log: new Appender({ writer, waiting: new ByteBudget(maxWaitingBytes, waiting) }),
    catalog,
    suppressions: {
      has: (sourceId, kind, id) => suppressed.has(sourceId, kind, id),
      countLeftOut: (calls) => writer.runLater('countLeftOut', calls),
    },
    async apply(change) {
      if (change.kind === 'catalog') catalog.apply(change.change)
      else if (change.kind === 'unsuppressed') suppressed.remove(change.user)
      else if (change.kind === 'suppressed') {
        suppressed.add(change.suppressions)
        // Operations take effect in their order: when this one has ended, so have all appends before it.
        await writer.run('ackEvents', { through: 0, events: 0 }).catch(() => undefined)
      }
    },
    [Symbol.asyncDispose]: () => writer[Symbol.asyncDispose](),
  }
}
