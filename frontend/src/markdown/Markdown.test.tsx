import { render, screen } from "@testing-library/react";
import { expect, it } from "vitest";
import { Markdown } from "./Markdown";

it("draws what GitHub's Markdown has", () => {
  const { container } = render(
    <Markdown
      text={
        "# Head\n\nA **b** _i_ ~~d~~ `c` <https://example.org>\n\n- [x] done\n- [ ] open\n\n| a | b |\n|:-|-:|\n| 1 | 2 |\n\n> q\n\n1. x\n2. y\n"
      }
    />,
  );
  expect(screen.getByRole("heading", { level: 3 })).toHaveTextContent("Head");
  expect(screen.getByRole("link")).toHaveAttribute("rel", "noopener noreferrer nofollow");
  expect(screen.getAllByRole("checkbox")[0]).toBeChecked();
  expect(screen.getByRole("table")).toBeInTheDocument();
  expect(container.querySelectorAll("strong, em, del, blockquote, ol")).toHaveLength(5);
});

it.each([
  "<script>window.hit = 1</script>",
  '<img src="x" onerror="window.hit = 1">',
  "![x](javascript:alert(1))",
  "![x](https://example.org/track.png)",
  "[x](javascript:alert(1))",
  "[x](data:text/html,<script>1</script>)",
  '<a href="javascript:alert(1)" onclick="x()">x</a>',
  '<iframe src="https://example.org"></iframe>',
  "<svg/onload=alert(1)>",
  "[a]: javascript:alert(1)\n\n[a]",
  '<style>@import "https://example.org/x.css"</style>',
])("makes nothing of the page out of %s", (text) => {
  const { container } = render(<Markdown text={text} />);
  expect(container.querySelector("script, img, iframe, svg, style, object, embed, form")).toBeNull();
  for (const link of container.querySelectorAll("a")) {
    expect(new URL(link.href).protocol).toMatch(/^(https?|mailto):$/);
  }
  for (const element of container.querySelectorAll("*")) {
    expect(element.getAttributeNames().filter((name) => name.startsWith("on"))).toEqual([]);
  }
});

it("shows raw HTML as the text that it is", () => {
  render(<Markdown text={"before <b>not bold</b> after"} />);
  expect(screen.getByText(/<b>/)).toBeInTheDocument();
});

it("completes what is still being written", () => {
  const { container, rerender } = render(<Markdown text="a **bol" streaming />);
  expect(container.querySelector("strong")).toHaveTextContent("bol");
  rerender(<Markdown text="a **bold** b" streaming />);
  expect(container.querySelector("strong")).toHaveTextContent("bold");
});

it("resolves links that are defined after they are used", () => {
  render(<Markdown text={"see [the page][p]\n\nmore\n\n[p]: https://example.org/x"} />);
  expect(screen.getByRole("link", { name: "the page" })).toHaveAttribute("href", "https://example.org/x");
});
