/** What a reader makes of “change the program above like this”. */
import ts from 'typescript';

/**
 * Returns the program with the statements of the change: imports are added, a variable or route that the program has is
 * replaced, and a new one stands right before the next that is replaced. Throws if nothing is replaced at the end.
 */
export function changed(program: string, change: string): string {
  let statements = statementsOf(program);
  let added: Statement[] = [];
  for (const statement of statementsOf(change)) {
    const at = statements.findIndex(({ names }) => names.some((name) => statement.names.includes(name)));
    if (statement.isImport) statements = [statement, ...statements];
    else if (at < 0) added.push(statement);
    else {
      statements = statements.toSpliced(at, 1, ...added, statement);
      added = [];
    }
  }
  if (added.length > 0) throw new Error(`nothing is replaced after:\n${added[0]!.text}`);
  return statements.map(({ text }) => text).join('\n');
}

interface Statement {
  text: string;
  isImport: boolean;
  /** The variables that it declares, or the route that it serves. */
  names: string[];
}

function statementsOf(program: string): Statement[] {
  const source = ts.createSourceFile('program.mjs', program, ts.ScriptTarget.Latest, true, ts.ScriptKind.JS);
  return source.statements.map((statement) => ({
    text: statement.getFullText().trim(),
    isImport: ts.isImportDeclaration(statement),
    names: namesOf(statement),
  }));
}

/** A route has a name, too: `app.get('/weather'`. */
function namesOf(statement: ts.Statement): string[] {
  if (ts.isVariableStatement(statement))
    return statement.declarationList.declarations.map(({ name }) => name.getText());
  if (!ts.isExpressionStatement(statement) || !ts.isCallExpression(statement.expression)) return [];
  const { expression: called, arguments: given } = statement.expression;
  const [first] = given;
  return first !== undefined && ts.isStringLiteral(first) ? [`${called.getText()}(${first.getText()}`] : [];
}
