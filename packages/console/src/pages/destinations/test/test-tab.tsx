import { useMutation } from '@tanstack/react-query'
import { PAYLOAD_TYPES, type PayloadType } from '@hookline/protocol'
import type { ReactElement } from 'react'
import { api } from '../../../api/client.ts'
import { faultAt } from '../../../api/problem.ts'
import { useMay } from '../../../api/session.ts'
import { Button } from '../../../design/controls/button.tsx'
import { Field, Select, TextInput } from '../../../design/controls/field.tsx'
import { Panel } from '../../../design/panel.tsx'
import { Empty } from '../../../design/states.tsx'
import type { HealthyDestination } from '../../../domain/destinations/destination-query.ts'
import { useUrlState } from '../../../shell/url-state.ts'
import { OtherFaults } from '../form/other-faults.tsx'
import { TestResult } from './test-result.tsx'

interface TestTabProps {
  readonly destination: HealthyDestination
}

/** Shows what would be sent, and sends it, to see how the receiver responds. */
export function TestTab({ destination }: TestTabProps): ReactElement {
  const mayTest = useMay('editor')
  if (mayTest) return <TestForm destination={destination} />
  return (
    <Panel isFlush>
      <Empty title="Your role may not send tests">
        Ask an editor. What was delivered is on the tab Deliveries.
      </Empty>
    </Panel>
  )
}

function TestForm({ destination }: TestTabProps): ReactElement {
  const [url, setUrl] = useUrlState<'type' | 'event'>()
  const event = url.event ?? ''
  const type = PAYLOAD_TYPES.find((each) => each === url.type) ?? 'track'
  const test = useMutation({
    mutationFn: (dryRun: boolean) =>
      api.testDestination(destination.id, {
        ...(event === '' ? { type } : { eventId: event.trim() }),
        dryRun,
      }),
  })
  const isOff = !destination.enabled || destination.paused !== null
  const fault = faultAt(test.error, '/eventId')
  return (
    <div className="flex flex-col gap-4">
      <Panel title="Test">
        <div className="flex flex-col gap-4">
          <p className="max-w-prose">
            A test goes to each webhook once{isOff && ', although the destination is off'}. It is
            not kept, and not tried again.
          </p>
          <What type={type} event={event} fault={fault} onChange={setUrl} />
          {fault === undefined && <OtherFaults error={test.error} />}
          <div className="flex flex-wrap gap-2">
            <Button isBusy={test.isPending} onClick={() => test.mutate(true)}>
              Show what would be sent
            </Button>
            <Button look="main" isBusy={test.isPending} onClick={() => test.mutate(false)}>
              Send
            </Button>
          </div>
        </div>
      </Panel>
      {test.data !== undefined && <TestResult result={test.data} />}
    </div>
  )
}

interface WhatProps {
  readonly type: PayloadType
  readonly event: string
  readonly fault: string | undefined
  readonly onChange: (change: { type?: string; event?: string }) => void
}

function What({ type, event, fault, onChange }: WhatProps): ReactElement {
  return (
    <div className="grid max-w-2xl grid-cols-1 gap-3 sm:grid-cols-[auto_1fr]">
      <Field label="Sample of the type">
        {(ids) => (
          <Select
            {...ids}
            value={type}
            disabled={event !== ''}
            options={PAYLOAD_TYPES.map((each) => [each, each] as const)}
            onPick={(picked) => onChange({ type: picked })}
          />
        )}
      </Field>
      <Field
        label="Or a stored event"
        hint="Its id, evt_…, from the page Events. Left empty, a sample is sent."
        fault={fault}
      >
        {(ids) => (
          <TextInput
            {...ids}
            placeholder="evt_…"
            value={event}
            onChange={({ target }) => onChange({ event: target.value })}
          />
        )}
      </Field>
    </div>
  )
}
