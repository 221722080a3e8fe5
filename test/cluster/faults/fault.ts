import { setTimeout as sleep } from 'node:timers/promises'
import type { Cluster } from '../cluster.ts'
import type { Node } from '../node.ts'

/** How long faults take. */
export interface FaultTimes {
  /** Maximum downtime of a killed, paused or disconnected part. */
  readonly maxAwayMs: number
  /** Longer than leases and claims last. */
  readonly beyondLeasesMs: number
}

/** The target of a fault. */
export interface Scene extends FaultTimes {
  readonly cluster: Cluster
  /** Random numbers, uniform over [0, 1). */
  readonly random: () => number
  /** Chooses the affected node. The others are healthy. */
  readonly oneNode: () => Node
}

export interface FaultKind {
  readonly name: string
  /** How often this kind is chosen, relative to the others. */
  readonly weight: number
  /** Only with this number of NATS servers. */
  readonly natsServers?: 1 | 3
  /** Only if the NATS servers have disks that can lose power. */
  readonly cutsPower?: boolean
  /** Resolves when it is over: killed processes run again, and cut links are restored. */
  readonly happen: (scene: Scene) => Promise<void>
}

export function oneOf<T>(all: readonly T[], random: () => number): T {
  return all[Math.floor(random() * all.length)]!
}

/** Sleeps for a random downtime of up to `maxAwayMs`. */
export function waitWhileAway({ random, maxAwayMs }: Scene): Promise<void> {
  return sleep(random() * maxAwayMs)
}
