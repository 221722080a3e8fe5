import type { Benchmark } from './benchmark.ts'
import { Child } from '../load/child.ts'
import { comparison, type Side } from '../load/compare.ts'
import { bullmq, pgBoss } from '../load/opponents.ts'

/** Events per second to a receiver in another process, against a bare loop of undici requests. */
export function delivery(goal: number): Benchmark {
  const bare = deliverySide('bare undici loop', 'delivery-bare.ts')
  return comparison({ unit: 'events/s', hookline, against: [{ ...bare, goal }] })
}

/** The same, against what one would write by hand with the usual queues. */
export function deliveryPeers(goals: {
  readonly bullmq: number
  readonly pgBoss: number
}): Benchmark {
  return comparison({
    unit: 'events/s',
    hookline,
    against: [
      { ...deliverySide('BullMQ', 'delivery-bullmq.ts'), ...bullmq, goal: goals.bullmq },
      { ...deliverySide('pg-boss', 'delivery-pg-boss.ts'), ...pgBoss, goal: goals.pgBoss },
    ],
    notes: [
      'Hookline: on disk before a call is answered (fsync), every delivery recorded and kept',
    ],
  })
}

/** A script of this folder that takes the port of the receiver and sends to it for some seconds. */
function deliverySide(name: string, script: string): Side {
  return {
    name,
    async open() {
      const [receiver, port] = await Child.start('receiver.ts')
      const [sender] = await Child.start(script, [String(port)])
      return {
        measure: async (seconds) => Number(await sender.ask({ seconds })),
        async [Symbol.asyncDispose]() {
          await sender[Symbol.asyncDispose]()
          await receiver[Symbol.asyncDispose]()
        },
      }
    },
  }
}

const hookline = deliverySide('Hookline', 'delivery-hookline.ts')
