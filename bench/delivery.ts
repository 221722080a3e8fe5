import { Child } from './child.ts'
import type { Benchmark, Side } from './compare.ts'

/** Events per second to a receiver in another process, against a bare loop of undici requests. */
export function delivery(goal: number): Benchmark {
  const side = (name: string, script: string): Side => ({
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
  })
  return {
    unit: 'events/s',
    goal,
    hookline: side('Hookline', 'delivery-hookline.ts'),
    against: side('bare undici loop', 'delivery-bare.ts'),
  }
}
