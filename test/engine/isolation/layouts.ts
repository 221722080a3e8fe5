/** Webhooks that share a service. Some are always healthy. */
export interface Layout {
  readonly title: string
  /** The webhooks of each destination, by name. Each destination has its own source. */
  readonly destinations: readonly (readonly string[])[]
  /** The paths of receivers for the webhooks named `faulty-…`. */
  readonly faulty: Readonly<Record<string, string>>
}

const names = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => `healthy-${index}`)

export const LAYOUTS = {
  destinations: {
    title: 'nine destinations next to one whose webhook never responds',
    destinations: [...names(9), 'faulty-0'].map((name) => [name]),
    faulty: { 'faulty-0': 'hanging' },
  },
  webhooks: {
    title:
      'three webhooks of a destination next to one that never responds and one that takes 4 s to respond',
    destinations: [[...names(3), 'faulty-0', 'faulty-1']],
    faulty: { 'faulty-0': 'hanging', 'faulty-1': 'slow' },
  },
} satisfies Readonly<Record<string, Layout>>

/** The number of healthy webhooks in the layout. */
export function healthyIn({ destinations, faulty }: Layout): number {
  return destinations.flat().filter((name) => !(name in faulty)).length
}
