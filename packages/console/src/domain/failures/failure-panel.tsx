import { useQuery } from '@tanstack/react-query'
import type { ReactElement } from 'react'
import { Panel } from '../../design/panel.tsx'
import { Loaded } from '../../design/states.tsx'
import { useNames } from '../names.ts'
import { FailureItem } from './failure-item.tsx'
import { failureKey, failuresQuery } from './failures-query.ts'

interface FailurePanelProps {
  readonly destinationId: string
}

export function FailurePanel({ destinationId }: FailurePanelProps): ReactElement {
  const query = useQuery(failuresQuery(destinationId))
  const names = useNames()
  return (
    <Panel title="Failures" isFlush>
      <Loaded query={query} lines={2}>
        {({ data }) =>
          data.length === 0 ? (
            <p className="text-ink-soft px-4 pb-4">No failures.</p>
          ) : (
            <ul>
              {data.map((group) => (
                <li key={failureKey(group)} className="border-line border-t">
                  <FailureItem group={group} names={names} hasDestination={false} />
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </Panel>
  )
}
