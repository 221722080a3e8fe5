import { useQuery } from '@tanstack/react-query'
import { type ReactElement, useMemo } from 'react'
import { Select } from '../../../design/controls/field.tsx'
import type { Series } from '../../../design/figures/plot-data.ts'
import { Plot } from '../../../design/figures/plot.tsx'
import { Panel } from '../../../design/panel.tsx'
import { Loaded } from '../../../design/states.tsx'
import { wholeNumber } from '../../../format/figures.ts'
import { useUrlState } from '../../../shell/url-state.ts'
import { changesQuery } from '../record/changes-query.ts'
import type { ComputationKind, ComputationProps } from '../record/computation-kind.ts'
import { type Changes, changeSeries } from './change-series.ts'

const RANGES = [
  ['1', '24 hours'],
  ['7', '7 days'],
  ['30', '30 days'],
  ['90', '90 days'],
] as const

const WORDS = {
  audience: ['entered', 'left'],
  trait: ['changed', 'removed'],
} as const

export function ChangesPanel({ kind, record }: ComputationProps): ReactElement {
  const [{ days }, setUrl] = useUrlState<'days'>()
  const picked = RANGES.find(([each]) => each === days)?.[0] ?? '7'
  const query = useQuery(changesQuery(kind, record, Number(picked)))
  return (
    <Panel
      isFlush
      title={kind.param === 'trait' ? 'Changes' : 'Entered and left'}
      actions={
        <span>
          <Select
            aria-label="Period"
            value={picked}
            options={RANGES}
            onPick={(next) => setUrl({ days: next === '7' ? undefined : next })}
          />
        </span>
      }
    >
      <Loaded query={query}>{(changes) => <ChangesPlot kind={kind} changes={changes} />}</Loaded>
    </Panel>
  )
}

interface ChangesPlotProps {
  readonly kind: ComputationKind
  readonly changes: Changes
}

function ChangesPlot({ kind, changes }: ChangesPlotProps): ReactElement {
  const [entered, left] = WORDS[kind.param]
  const { times, step, series } = useMemo(() => {
    const found = changeSeries(changes, Date.now())
    const lines: Series[] = [
      { label: entered, color: 'delivered', values: found.entered },
      { label: left, color: 'declined', values: found.left },
    ]
    return { ...found, series: lines }
  }, [changes, entered, left])
  const totals = series.map(
    ({ label, values }) =>
      `${wholeNumber(values.reduce<number>((a, b) => a + (b ?? 0), 0))} ${label}`,
  )
  const label = `Users: ${totals.join(', ')}, by ${step}.`
  return (
    <>
      <Plot label={label} times={times} series={series} form="lines" format={wholeNumber} />
      <p className="text-ink-soft text-dense px-4 pb-3">{label}</p>
    </>
  )
}
