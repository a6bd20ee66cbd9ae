/**
 * English words that carry no meaning of their own in a question. A text of sentences has many of them; a list of
 * popular words has none.
 */
export const STOP_WORDS: ReadonlySet<string> = new Set(
  `a about after all also am an and any are as at be because been before being between both but by can could did do does
  doing down each etc few for from further get gets getting give gives go had has have having he her here hers him his
  how i if in into is it its just kind know let lets like look looking lot make many may me might more most much must
  my need needs no nor not now of off on once one only or other our out over own per please s same see she should show
  so some something such t tell than thank thanks that the their them then there these they thing things this those
  through to too under until up us use used using very via want wants was we were what when where whether which while
  who whom whose why will wish with without would you your able api apis endpoint endpoints service services tool tools
  find return returns returning`.split(/\s+/),
);
