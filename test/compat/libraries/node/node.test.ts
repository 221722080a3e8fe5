import { testLibraries } from '../suite.ts'
import { NODE_LIBRARIES } from './libraries.ts'

testLibraries('Node.js', NODE_LIBRARIES)
