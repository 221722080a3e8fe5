import type { ReactElement } from 'react'
import { PageHeading } from '../../shell/page-heading.tsx'

export function TracePage(): ReactElement {
  return <PageHeading title="Event" />
}
