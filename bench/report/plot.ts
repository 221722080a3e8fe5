import { type Curve, median } from '../benchmarks/benchmark.ts'

const WIDTH = 640
const HEIGHT = 300
const LEFT = 76
const RIGHT = 24
const TOP = 44
const BOTTOM = 56
/** Medium lightness: legible on white and on black. */
const INK = '#7d8590'
const LINE = '#2f81f7'

/** A plot of the median of each point, with its minimum and maximum. Points are equidistant; `y` starts at zero. */
export function plot({ title, x, y, points }: Curve): string {
  const ticks = ticksUpTo(Math.max(...points.flatMap(({ values }) => values)))
  const top = ticks.at(-1)!
  const step = (WIDTH - LEFT - RIGHT) / points.length
  const at = (index: number): number => round(LEFT + step * (index + 0.5))
  const height = (value: number): number =>
    round(HEIGHT - BOTTOM - (value / top) * (HEIGHT - TOP - BOTTOM))
  const marks = points.map(({ values }, index) => {
    const [bottom, peak] = [height(Math.min(...values)), height(Math.max(...values))]
    const whisker = `<path d="M${at(index)} ${bottom}V${peak}" stroke="${LINE}" stroke-width="2" opacity="0.5"/>`
    return `${whisker}<circle cx="${at(index)}" cy="${height(median(values))}" r="4" fill="${LINE}"/>`
  })
  const line = points.map(({ values }, index) => `${at(index)} ${height(median(values))}`).join('L')
  const grid = ticks.map(
    (tick) =>
      `<path d="M${LEFT} ${height(tick)}H${WIDTH - RIGHT}" stroke="${INK}" opacity="0.3"/>` +
      text(LEFT - 8, height(tick) + 4, formatNumber(tick), 'end'),
  )
  const names = points.map((point, index) =>
    text(at(index), HEIGHT - BOTTOM + 20, formatNumber(point.x), 'middle'),
  )
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}" role="img" font-family="system-ui, sans-serif" font-size="12" fill="${INK}">`,
    `<title>${escape(title)}</title>`,
    `<text x="${LEFT}" y="20" font-size="14" font-weight="600">${escape(title)}</text>`,
    text(LEFT, 36, y, 'start'),
    ...grid,
    `<path d="M${line}" fill="none" stroke="${LINE}" stroke-width="2"/>`,
    ...marks,
    ...names,
    text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 14, x, 'middle'),
    '</svg>\n',
  ].join('\n')
}

/** Ticks in round steps from zero to the first one that is not below the largest value. */
function ticksUpTo(largest: number): readonly number[] {
  const power = 10 ** Math.floor(Math.log10(largest))
  const step = [0.2, 0.25, 0.5, 1, 2]
    .map((each) => each * power)
    .find((each) => largest / each <= 6)!
  const count = Math.ceil(largest / step)
  return Array.from({ length: count + 1 }, (_, index) => round(index * step))
}

function text(x: number, y: number, content: string, anchor: 'start' | 'middle' | 'end'): string {
  return `<text x="${x}" y="${y}" text-anchor="${anchor}">${escape(content)}</text>`
}

function formatNumber(value: number): string {
  return value.toLocaleString('en', { maximumFractionDigits: 2 })
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}

function escape(content: string): string {
  return content.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
}
