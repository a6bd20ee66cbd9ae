/** Draws series of numbers. Pages also give the same facts in words and as a table. */
import { useEffect, useRef, useState } from 'preact/hooks';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';

export interface Series {
  readonly label: string;
  /** The CSS class of the sign in the legend, which also sets the colour of the series. */
  readonly class: string;
  readonly values: readonly number[];
}

export interface ChartProps {
  kind: 'bars' | 'line';
  /** Describes the chart in a sentence. */
  summary: string;
  /** The short and the long name of each point, from left to right. */
  names: readonly { short: string; long: string }[];
  /** Bars are stacked, with the first series at the bottom. */
  series: readonly Series[];
  /** If it changes, the chart is drawn again in other colours. */
  isDark: boolean;
}

const HEIGHT = 150;
const LEAST_PLACES = 24;

export function Chart(props: ChartProps) {
  const [pointed, setPointed] = useState<number>();
  const box = useChart(props, setPointed);
  const { summary, names, series, kind } = props;
  const place = pointed === undefined ? undefined : names[pointed];
  return (
    <figure class="chart">
      <div ref={box} class="plot" role="img" aria-label={summary} />
      <figcaption>
        {series.map(({ label, class: name, values }) => (
          <span key={label} class="legend">
            <span class={`swatch ${kind} ${name}`} />
            {label}
            {place !== undefined && <b> {values[pointed!]}</b>}
          </span>
        ))}
        <span class="note">{place?.long ?? ''}</span>
      </figcaption>
    </figure>
  );
}

function useChart(props: ChartProps, point: (place: number | undefined) => void) {
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot>(null);
  const latest = useRef(props);
  latest.current = props;
  const { isDark, names, series } = props;

  useEffect(() => {
    const element = box.current!;
    const drawn = new uPlot(optionsOf(latest, element, point), dataOf(latest.current), element);
    plot.current = drawn;
    const watch = new ResizeObserver(() => drawn.setSize({ width: element.clientWidth, height: HEIGHT }));
    watch.observe(element);
    return () => {
      watch.disconnect();
      drawn.destroy();
    };
  }, [isDark]);

  const state = JSON.stringify([names, series]);
  useEffect(() => plot.current?.setData(dataOf(latest.current)), [state]);
  return box;
}

/** Returns the positions and the heights. The tallest bars come first, because later ones are drawn over them. */
function dataOf({ names, series, kind }: ChartProps): uPlot.AlignedData {
  const rows = series.map(({ values }) => [...values]);
  if (kind === 'line') return [names.map((_, nth) => nth), ...rows];
  const piles = rows.map((_, nth) =>
    names.map((__, at) => sum(rows.slice(0, nth + 1).map((row) => row[at]!))),
  );
  return [names.map((_, nth) => nth), ...piles.reverse()];
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

function optionsOf(
  latest: { current: ChartProps },
  element: HTMLElement,
  point: (place: number | undefined) => void,
): uPlot.Options {
  const { kind, series } = latest.current;
  const drawn = kind === 'bars' ? series.toReversed() : series;
  const ink = getComputedStyle(element).color;
  const line = getComputedStyle(element).borderTopColor;
  const font = `11px ${getComputedStyle(element).fontFamily}`;
  const axis = { stroke: ink, font, ticks: { stroke: line, size: 4 } };
  return {
    width: element.clientWidth,
    height: HEIGHT,
    legend: { show: false },
    cursor: { y: false, points: { show: kind === 'line' }, drag: { x: false, y: false } },
    scales: {
      x: { time: false, range: () => rangeOf(latest.current) },
      y: {
        range: (_, least, most) => (kind === 'bars' ? [0, Math.max(most, 1) * 1.1] : spaced(least, most)),
      },
    },
    axes: [
      {
        ...axis,
        space: 80,
        size: 26,
        grid: { show: false },
        incrs: [1, 2, 5, 10, 20, 50, 100],
        values: (_, places) => places.map((place) => latest.current.names[place]?.short ?? ''),
      },
      {
        ...axis,
        size: 52,
        space: 22,
        grid: { stroke: line, width: 1 },
        incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 2e4, 5e4, 1e5, 2e5, 5e5, 1e6],
      },
    ],
    series: [{}, ...drawn.map((one) => lookOf(kind, colourOf(element, one), one.class))],
    hooks: { setCursor: [({ cursor: { idx } }) => point(idx ?? undefined)] },
  };
}

/** Returns the range of positions. If there are few bars, they stand on the right, no wider than many would be. */
function rangeOf({ kind, names }: ChartProps): [number, number] {
  if (kind === 'line') return [0, Math.max(names.length - 1, 1)];
  return [names.length - Math.max(names.length, LEAST_PLACES) - 0.5, names.length - 0.5];
}

function spaced(least: number, most: number): [number, number] {
  const room = Math.max(1, (most - least) * 0.2);
  return [Math.max(0, Math.floor(least - room)), Math.ceil(most + room)];
}

function lookOf(kind: ChartProps['kind'], colour: string, name: string): uPlot.Series {
  if (kind === 'line') return { stroke: colour, width: 2, points: { show: false } };
  return {
    stroke: colour,
    width: 1,
    fill: name === 'bad' ? striped(colour) : colour,
    paths: uPlot.paths.bars!({ size: [0.75, 28] }),
    points: { show: false },
  };
}

function colourOf(element: HTMLElement, { class: name }: Series): string {
  const swatch = element.parentElement!.querySelector(`.swatch.${name}`)!;
  return getComputedStyle(swatch).color;
}

/** Returns stripes, so that nobody has to tell two colours apart. */
function striped(colour: string): CanvasPattern | string {
  const tile = new OffscreenCanvas(6, 6);
  const context = tile.getContext('2d')!;
  context.strokeStyle = colour;
  context.lineWidth = 2;
  context.beginPath();
  for (const from of [-6, 0, 6]) {
    context.moveTo(from - 1, 7);
    context.lineTo(from + 7, -1);
  }
  context.stroke();
  return context.createPattern(tile, 'repeat') ?? colour;
}
