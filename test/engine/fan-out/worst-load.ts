import { expect } from 'vitest'
import type { MeasuredService } from '../measured-service.ts'

const MIB = 2 ** 20

/** How much a load takes of the service. */
export interface Load {
  residentMib: number
  /** How late the event loop was within one second, in ms. */
  eventLoopP99Ms: number
  eventLoopMostMs: number
  livezMs: number
}

const LIMITS: Load = {
  residentMib: 700,
  eventLoopP99Ms: 250,
  eventLoopMostMs: 1_000,
  livezMs: 1_000,
}
const FIGURES = Object.keys(LIMITS) as (keyof Load)[]

/** The worst figure of each kind while the work runs, a sample a second. */
export async function worstWhile(service: MeasuredService, work: Promise<unknown>): Promise<Load> {
  const worst: Load = { residentMib: 0, eventLoopP99Ms: 0, eventLoopMostMs: 0, livezMs: 0 }
  const over = work.then(() => true)
  // When a sample fails first, nothing awaits it.
  over.catch(() => undefined)
  // The first scrape has the lag of the start as well.
  await service.eventLoop()
  for (let isOver = false; !isOver;) {
    isOver = await Promise.race([over, aSecond()])
    const figures = await sample(service)
    for (const name of FIGURES) worst[name] = Math.max(worst[name], figures[name])
  }
  return worst
}

async function aSecond(): Promise<false> {
  await new Promise((resolve) => setTimeout(resolve, 1_000))
  return false
}

export function expectWithinLimits(worst: Load, when: string): void {
  for (const name of FIGURES)
    expect(worst[name], `${name} ${when}`).toBeLessThanOrEqual(LIMITS[name])
}

export function shown({ residentMib, eventLoopP99Ms, eventLoopMostMs, livezMs }: Load): string {
  return `${residentMib.toFixed(0)} MiB, event loop late by ${eventLoopP99Ms.toFixed(0)} ms (p99), ${eventLoopMostMs.toFixed(0)} ms (max), /livez ${livezMs.toFixed(0)} ms`
}

async function sample(service: MeasuredService): Promise<Load> {
  const asked = performance.now()
  await service.livez()
  const livezMs = performance.now() - asked
  return { livezMs, residentMib: service.residentBytes / MIB, ...(await service.eventLoop()) }
}
