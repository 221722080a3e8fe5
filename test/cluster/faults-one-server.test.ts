import { testFaults } from './fault-runs.ts'

testFaults(1)
