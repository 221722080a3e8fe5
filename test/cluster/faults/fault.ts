import { setTimeout as sleep } from 'node:timers/promises'
import type { Cluster } from '../cluster.ts'
import type { Node } from '../node.ts'

/** How long faults take. */
export interface FaultTimes {
  /** How long what was killed, paused or cut off stays away, at most. */
  readonly mostAwayMs: number
  /** Longer than leases and claims last. */
  readonly beyondLeasesMs: number
}

/** What a fault happens to. */
export interface Scene extends FaultTimes {
  readonly cluster: Cluster
  /** Evenly over [0, 1). */
  readonly random: () => number
  /** Chooses the node that the fault happens to. The others are healthy. */
  readonly oneNode: () => Node
}

/** A kind of fault. */
export interface FaultKind {
  readonly name: string
  /** Of how many faults one is of this kind, about, in relation to the others. */
  readonly weight: number
  /** Only where NATS has so many servers. */
  readonly natsServers?: 1 | 3
  /** Resolves when it is over: what was killed runs again, and what was cut is mended. */
  readonly happen: (scene: Scene) => Promise<void>
}

export function oneOf<T>(all: readonly T[], random: () => number): T {
  return all[Math.floor(random() * all.length)]!
}

/** The time that something is away. */
export function away({ random, mostAwayMs }: Scene): Promise<void> {
  return sleep(random() * mostAwayMs)
}
