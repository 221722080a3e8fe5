import { type ReactElement, useEffect, useRef, useState } from 'react'
import UPlot from 'uplot'
import './plot.css'
import { useColorScheme } from '../../format/theme.ts'
import { useZone } from '../../format/time-zone.ts'
import { absoluteTime } from '../../format/times.ts'
import { hasAny, isolatedIndexes, type PlotContent, plotData, type Series } from './plot-data.ts'

interface PlotProps extends PlotContent {
  /** For screen readers. */
  readonly label: string
  readonly format: (value: number) => string
  readonly height?: number
}

/** Values over time. The legend shows the values under the pointer. */
export function Plot({
  label,
  times,
  series,
  form,
  format,
  height = 200,
}: PlotProps): ReactElement {
  const box = useRef<HTMLDivElement>(null)
  const zone = useZone()
  const colorScheme = useColorScheme()
  const [index, setIndex] = useState<number | null>(null)
  useEffect(() => {
    const element = box.current!
    const plot = new UPlot(
      optionsOf({ series, form, format, height, zone }, element, setIndex),
      plotData({ times, series, form }),
      element,
    )
    const observer = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height }))
    observer.observe(element)
    return () => {
      observer.disconnect()
      plot.destroy()
    }
    // The canvas keeps the colours it was drawn with.
  }, [times, series, form, format, height, zone, colorScheme])
  // Without a pointer, areas show totals and lines show the last values.
  const isTotal = index === null && form === 'areas'
  const at = index ?? times.length - 1
  return (
    <figure className="min-w-0" aria-label={label}>
      <figcaption className="text-note text-ink-soft flex flex-wrap gap-x-4 gap-y-0.5 px-4 pb-2 tabular-nums">
        <span className="text-ink-faint">
          {isTotal
            ? 'Total'
            : times[at] === undefined
              ? ''
              : absoluteTime(times[at], zone).slice(0, 16)}
          {!isTotal && at === times.length - 1 && ' so far'}
        </span>
        {series.map(({ label: words, color, values }) => (
          <span key={words} className="inline-flex items-center gap-1.5">
            <svg viewBox="0 0 8 8" className="size-2" aria-hidden="true">
              <rect width="8" height="8" rx="2" fill={`var(--color-${color})`} />
            </svg>
            {words} {shownValue(isTotal ? sum(values) : values[at], format)}
          </span>
        ))}
        <span className="text-ink-faint ml-auto">Dashed: incomplete</span>
      </figcaption>
      <div ref={box} className="u-plot min-w-0 overflow-hidden" />
    </figure>
  )
}

function sum(values: Series['values']): number {
  return values.reduce<number>((total, value) => total + (value ?? 0), 0)
}

function shownValue(value: number | null | undefined, format: PlotProps['format']): string {
  return value == null ? '–' : format(value)
}

type Looks = Pick<PlotProps, 'series' | 'form' | 'format'> & {
  readonly height: number
  readonly zone: 'utc' | 'local'
}

function optionsOf(
  { series, form, format, height, zone }: Looks,
  element: HTMLElement,
  onPoint: (index: number | null) => void,
): UPlot.Options {
  const color = (name: string): string => colorOf(element, `--color-${name}`)
  const lowest = series.findIndex(hasAny)
  const lineOf = (each: Series): UPlot.Series => ({
    label: each.label,
    stroke: color(each.color),
    width: form === 'areas' ? 1 : 1.5,
    points: {
      show: form === 'lines',
      size: 5,
      fill: color(each.color),
      filter: (plot, place) => isolatedIndexes(plot.data[place]!),
    },
  })
  const axis = {
    stroke: color('ink-faint'),
    grid: { stroke: color('line'), width: 1 },
    ticks: { show: false },
    font: '11px system-ui, sans-serif',
  }
  return {
    width: element.clientWidth,
    height,
    ...(zone === 'utc' && {
      tzDate: (at: number) => UPlot.tzDate(new Date(at * 1_000), 'Etc/UTC'),
    }),
    legend: { show: false },
    cursor: { y: false, points: { show: false }, drag: { x: false, y: false } },
    hooks: { setCursor: [({ cursor }) => onPoint(cursor.idx ?? null)] },
    scales: { y: { range: (_plot, _min, max) => [0, max > 0 ? max * 1.1 : 1] } },
    axes: [
      { ...axis, size: 28, values: (plot, splits) => timeLabels(splits, plot.scales['x']!, zone) },
      {
        ...axis,
        size: 56,
        values: (_plot, splits) => distinct(splits.map((value) => format(value))),
      },
    ],
    series: [
      {},
      ...series.map((each, index) => ({
        ...lineOf(each),
        ...(form === 'areas' && index === lowest && { fill: color(`${each.color}-soft`) }),
      })),
      ...series.map((each) => ({ ...lineOf(each), dash: [3, 3] })),
    ],
    ...(form === 'areas' && { bands: bandsOf(series, color) }),
  }
}

/** Without repeated labels: small values may be rounded to the same label. */
function distinct(labels: readonly string[]): string[] {
  return labels.map((label, index) => (label === labels[index - 1] ? '' : label))
}

const DAY_SECONDS = 86_400

/** `14:05`, or `11-23` for more than two days. */
function timeLabels(
  splits: readonly number[],
  { min, max }: UPlot.Scale,
  zone: 'utc' | 'local',
): string[] {
  const isDays = (max ?? 0) - (min ?? 0) > 2 * DAY_SECONDS
  return splits.map((seconds) => {
    const text = absoluteTime(seconds * 1_000, zone)
    return isDays ? text.slice(5, 10) : text.slice(11, 16)
  })
}

/** Fills each area down to the next non-empty series. */
function bandsOf(series: PlotProps['series'], color: (name: string) => string): UPlot.Band[] {
  return series.flatMap((each, index) => {
    const below = series.findLastIndex((other, place) => place < index && hasAny(other))
    const between: [number, number] = [index + 1, below + 1]
    return below === -1 || !hasAny(each)
      ? []
      : [{ series: between, fill: color(`${each.color}-soft`) }]
  })
}

/** Resolves `light-dark()`, which the canvas does not support. */
function colorOf(element: HTMLElement, name: string): string {
  const probe = document.createElement('span')
  probe.style.color = `var(${name})`
  element.append(probe)
  const { color } = getComputedStyle(probe)
  probe.remove()
  return color
}
