import { expect } from 'vitest'
import type { MeasuredService } from '@hookline/testing/service/measured-service'

const MIB = 2 ** 20

/** The resource usage of the service under a load. */
export interface Load {
  residentMib: number
  /** The lag of the event loop over the whole load, in ms. */
  eventLoopP99Ms: number
  eventLoopMaxMs: number
  livezMs: number
}

const LIMITS: Load = {
  residentMib: 700,
  eventLoopP99Ms: 250,
  eventLoopMaxMs: 1_000,
  livezMs: 1_000,
}
const FIGURES = Object.keys(LIMITS) as (keyof Load)[]

/**
 * Measures the service while the work runs. Memory and `/livez` are the worst of samples taken every second. The lag of the
 * event loop is read once at the end, because the p99 of the few values within one busy second would be their maximum.
 */
export async function worstWhile(service: MeasuredService, work: Promise<unknown>): Promise<Load> {
  const worst: Load = { residentMib: 0, eventLoopP99Ms: 0, eventLoopMaxMs: 0, livezMs: 0 }
  const over = work.then(() => true)
  // Not awaited if a sample fails first.
  over.catch(() => undefined)
  // The first scrape includes the lag of the start.
  await service.eventLoop()
  for (let isOver = false; !isOver;) {
    isOver = await Promise.race([over, aSecond()])
    const figures = await sample(service)
    for (const name of ['residentMib', 'livezMs'] as const)
      worst[name] = Math.max(worst[name], figures[name])
  }
  return { ...worst, ...(await service.eventLoop()) }
}

async function aSecond(): Promise<false> {
  await new Promise((resolve) => setTimeout(resolve, 1_000))
  return false
}

export function expectWithinLimits(worst: Load, when: string): void {
  for (const name of FIGURES)
    expect(worst[name], `${name} ${when}`).toBeLessThanOrEqual(LIMITS[name])
}

export function loadText({ residentMib, eventLoopP99Ms, eventLoopMaxMs, livezMs }: Load): string {
  return `${residentMib.toFixed(0)} MiB, event loop late by ${eventLoopP99Ms.toFixed(0)} ms (p99), ${eventLoopMaxMs.toFixed(0)} ms (max), /livez ${livezMs.toFixed(0)} ms`
}

async function sample(service: MeasuredService): Promise<Pick<Load, 'residentMib' | 'livezMs'>> {
  const startedAt = performance.now()
  await service.livez()
  const livezMs = performance.now() - startedAt
  return { livezMs, residentMib: service.residentBytes / MIB }
}
