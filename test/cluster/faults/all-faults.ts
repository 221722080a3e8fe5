import type { FaultKind } from './fault.ts'
import { LINK_FAULTS } from './link-faults.ts'
import { NATS_FAULTS } from './nats-faults.ts'
import { NODE_FAULTS } from './node-faults.ts'
import { POSTGRES_FAULTS } from './postgres-faults.ts'

const KINDS = [...NODE_FAULTS, ...POSTGRES_FAULTS, ...NATS_FAULTS, ...LINK_FAULTS]

export interface FaultChoice {
  readonly count: number
  readonly natsServers: number
  readonly canCutPower: boolean
  readonly random: () => number
  /** Only kinds with this text in their name. */
  readonly only?: string | undefined
}

/** Chooses `count` faults, each kind in proportion to its weight, in random order. */
export function chooseFaults(choice: FaultChoice): FaultKind[] {
  const { count, natsServers, canCutPower, random, only = '' } = choice
  const kinds = KINDS.filter(
    (kind) =>
      kind.name.includes(only) &&
      (kind.natsServers ?? natsServers) === natsServers &&
      (canCutPower || kind.cutsPower !== true),
  )
  const shares = kinds.flatMap((kind) => Array.from({ length: kind.weight }, () => kind))
  if (shares.length === 0) throw new Error(`No kind of fault has "${only}" in its name.`)
  const chosen = Array.from(
    { length: count },
    (_, index) => shares[Math.floor(((index + 0.5) * shares.length) / count)]!,
  )
  return shuffled(chosen, random)
}

function shuffled<T>(values: readonly T[], random: () => number): T[] {
  const left = [...values]
  return values.map(() => left.splice(Math.floor(random() * left.length), 1)[0]!)
}
